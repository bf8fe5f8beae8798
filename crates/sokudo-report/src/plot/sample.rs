//! Documents made by hand, of figures such as real devices give: a surface of a hard
//! disk with a defect, a sweep over sizes and depths.
