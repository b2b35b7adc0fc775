//! One case by other authors: its numbers as shapes, and which of its answers have been compared.

use cullide_narrowphase::{
    Aabb, Error, Obb, Plane, Segment, Sphere,
    glam::{DVec3, Vec3},
};
use serde_json::Value;

/// Why a line, or one of its answers, is not compared.
pub enum Skip {
    Reason(&'static str),
    Refused(Error),
}

impl From<Error> for Skip {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl std::fmt::Display for Skip {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Reason(reason) => f.write_str(reason),
            Self::Refused(error) => write!(f, "not constructible: {error}"),
        }
    }
}

/// A line of the file, its inputs, and how its answers compare.
pub struct Case {
    pub line: Value,
    /// Whether all its numbers are `f32`s and its planes of unit length, so that the shapes are exactly those of the
    /// case.
    pub is_exact: bool,
    pub compared: usize,
    /// The number of booleans that rounding the inputs may change.
    pub on_border: usize,
    pub wrong: Vec<String>,
}

impl Case {
    pub fn new(text: &str) -> Self {
        let line: Value = serde_json::from_str(text).expect("a case a line");
        let is_exact = is_single(&line["in"]) && has_unit_planes(&line["in"]);
        Self { line, is_exact, compared: 0, on_border: 0, wrong: Vec::new() }
    }

    pub fn op(&self) -> &str {
        self.line["op"].as_str().expect("an operation")
    }

    /// Whether rounding the inputs may change a boolean: they are not all `f32`s, and the case is on the border or
    /// within four roundings of its largest number.
    fn is_close_call(&self) -> bool {
        let reach = 4.0 * f64::from(f32::EPSILON) * largest(&self.line["in"]);
        let is_near = self.line["margin"].as_f64().is_some_and(|margin| margin.abs() <= reach);
        !self.is_exact && (is_near || self.line["boundary"].as_bool() == Some(true))
    }

    pub fn compare(&mut self, field: &str, is_right: bool, got: String) {
        self.compared += 1;
        if !is_right {
            self.wrong.push(format!("{field}: {got}"));
        }
    }

    pub fn is(&mut self, field: &str, got: bool) {
        let Some(expected) = self.line["expect"][field].as_bool() else { return };
        if self.is_close_call() {
            self.on_border += 1;
        } else {
            self.compare(field, expected == got, got.to_string());
        }
    }

    /// Compares a name; the file has two words for straddling.
    pub fn named(&mut self, field: &str, got: &str) {
        let Some(expected) = self.line["expect"][field].as_str().map(str::to_owned) else { return };
        if self.is_close_call() {
            self.on_border += 1;
        } else {
            let same = expected == got || (expected == "straddling" && got == "intersecting");
            self.compare(field, same, got.into());
        }
    }

    /// Compares a number, to the file's tolerance and no more closely than rounding its inputs allows.
    pub fn near(&mut self, field: &str, got: f64) {
        let Some(expected) = self.line["expect"][field].as_f64() else { return };
        let rounding = 16.0 * f64::from(f32::EPSILON) * largest(&self.line["in"]).max(expected.abs());
        let tolerance = self.line["tol"].as_f64().unwrap_or(0.0) * expected.abs().max(1.0);
        self.compare(field, (got - expected).abs() <= rounding.max(tolerance), got.to_string());
    }

    pub fn point(&mut self, field: &str, got: Vec3) {
        let Some(expected) = self.line["expect"][field].as_array().map(|items| vector(items)) else { return };
        let rounding = 16.0 * f64::from(f32::EPSILON) * largest(&self.line["in"]);
        self.compare(field, (got.as_dvec3() - expected).abs().max_element() <= rounding, got.to_string());
    }
}

fn vector(items: &[Value]) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|i| items[i].as_f64().expect("a number")))
}

/// Three numbers, rounded to `f32`.
pub fn point(value: &Value) -> Vec3 {
    wide(value).as_vec3()
}

pub fn wide(value: &Value) -> DVec3 {
    vector(value.as_array().expect("three numbers"))
}

pub fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

pub fn aabb(value: &Value) -> Result<Aabb, Error> {
    Aabb::new(point(&value["min"]), point(&value["max"]))
}

pub fn sphere(value: &Value) -> Result<Sphere, Error> {
    Sphere::new(point(&value["center"]), number(&value["radius"]) as f32)
}

pub fn obb(value: &Value) -> Result<Obb, Error> {
    let half = wide(&value["half"]);
    let edge = |i: usize| (wide(&value["axes"][i]) * half[i]).as_vec3();
    Obb::from_half_edges(point(&value["center"]), [edge(0), edge(1), edge(2)])
}

pub fn plane(value: &Value) -> Result<Plane, Error> {
    Plane::new(point(value), number(&value[3]) as f32)
}

pub fn planes(value: &Value) -> Result<Vec<Plane>, Error> {
    value.as_array().expect("planes").iter().map(plane).collect()
}

pub fn segment(value: &Value) -> Result<Segment, Error> {
    Segment::between(point(&value["a"]), point(&value["b"]))
}

/// The largest magnitude among all numbers.
fn largest(value: &Value) -> f64 {
    match value {
        Value::Number(number) => number.as_f64().map_or(0.0, f64::abs),
        Value::Array(items) => items.iter().map(largest).fold(0.0, f64::max),
        Value::Object(fields) => fields.values().map(largest).fold(0.0, f64::max),
        _ => 0.0,
    }
}

/// Whether all numbers are `f32`s.
fn is_single(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_f64().is_some_and(|x| f64::from(x as f32) == x),
        Value::Array(items) => items.iter().all(is_single),
        Value::Object(fields) => fields.values().all(is_single),
        _ => true,
    }
}

/// Whether normalising changes none of the planes, which are the arrays of four numbers.
fn has_unit_planes(value: &Value) -> bool {
    match value {
        Value::Array(items) if items.len() == 4 && items.iter().all(Value::is_number) => {
            vector(items).length_squared() == 1.0
        }
        Value::Array(items) => items.iter().all(has_unit_planes),
        Value::Object(fields) => fields.values().all(has_unit_planes),
        _ => true,
    }
}
