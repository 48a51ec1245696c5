mod contours;
mod detection;
pub(super) mod shapes;
