mod contours;
mod detection;
mod proximity;
mod responses;
pub(super) mod shapes;
