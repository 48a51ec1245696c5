//! gordian
