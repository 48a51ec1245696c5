mod contours;
mod detection;
mod responses;
pub(super) mod shapes;
