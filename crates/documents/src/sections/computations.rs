//! Computations that several examples call.

/// The sum of two floats.
pub const ADD: &str = "add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}";

/// The sum of two integers.
pub const ADD_S32: &str = "add {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT sum = s32[] add(a, b)
}";

/// The documentation's `max`.
pub const MAX: &str = "max {
  y = f32[] parameter(0)
  x = f32[] parameter(1)
  ROOT maximum = f32[] maximum(y, x)
}";

/// Whether the first parameter is greater than or equal to the second.
pub const GE: &str = "ge {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT selected = pred[] compare(a, b), direction=GE
}";

/// Whether the first parameter is greater than the second.
pub const GT: &str = "gt {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT selected = pred[] compare(a, b), direction=GT
}";
