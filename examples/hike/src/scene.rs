//! A small scene as an OBJ file: a hill, a house with a doorway, stairs to a platform, a ramp and a bridge.

use cullide_world::glam::Vec3;
use std::fmt::Write;

/// The length of a side of the ground in metres, and the number of squares along it.
const SIDE: f32 = 60.0;
const SQUARES: u16 = 48;

/// An OBJ file under construction.
struct Obj {
    text: String,
    vertices: u32,
}

/// Returns the scene as text.
pub fn obj() -> String {
    let mut obj = Obj { text: String::new(), vertices: 0 };
    obj.object("ground");
    obj.ground();
    obj.object("fence");
    let half = 0.5 * SIDE;
    for (min, max) in [
        ([-half, -half], [half, 0.4 - half]),
        ([-half, half - 0.4], [half, half]),
        ([-half, -half], [0.4 - half, half]),
        ([half - 0.4, -half], [half, half]),
    ] {
        obj.block(Vec3::new(min[0], -3.0, min[1]), Vec3::new(max[0], 2.0, max[1]));
    }
    obj.object("house");
    // Four walls; the one to the south has a doorway, the one to the east a window.
    for (min, max) in [
        ([-22.0, -1.0, -12.0], [-12.0, 3.2, -11.6]),
        ([-22.0, -1.0, -11.6], [-21.6, 3.2, -4.0]),
        ([-22.0, -1.0, -4.0], [-18.0, 3.2, -3.6]),
        ([-16.4, -1.0, -4.0], [-12.0, 3.2, -3.6]),
        ([-18.0, 2.3, -4.0], [-16.4, 3.2, -3.6]),
        ([-12.4, -1.0, -11.6], [-12.0, 1.0, -4.0]),
        ([-12.4, 2.2, -11.6], [-12.0, 3.2, -4.0]),
        ([-12.4, 1.0, -11.6], [-12.0, 2.2, -9.0]),
        ([-12.4, 1.0, -6.5], [-12.0, 2.2, -4.0]),
    ] {
        obj.block(min.into(), max.into());
    }
    obj.object("stairs");
    for step in 0..14u8 {
        let (x, top) = (-8.0 + 0.5 * f32::from(step), 0.25 * f32::from(step + 1));
        obj.block(Vec3::new(x, -1.0, 10.0), Vec3::new(x + 0.5, top, 14.0));
    }
    obj.block(Vec3::new(-1.0, -1.0, 10.0), Vec3::new(4.0, 3.5, 14.0));
    obj.object("bridge");
    obj.block(Vec3::new(1.0, 3.2, 0.0), Vec3::new(3.4, 3.5, 10.0));
    obj.block(Vec3::new(0.0, -1.0, -5.0), Vec3::new(5.0, 3.5, 0.0));
    obj.object("ramp");
    // Nine metres along and 3.5 up: a slope of 21 degrees.
    let below = |x: f32, z: f32| Vec3::new(x, -1.0, z);
    obj.hexahedron([
        [below(5.0, -5.0), Vec3::new(5.0, 3.5, -5.0)],
        [below(14.0, -5.0), Vec3::new(14.0, -0.2, -5.0)],
        [below(14.0, 0.0), Vec3::new(14.0, -0.2, 0.0)],
        [below(5.0, 0.0), Vec3::new(5.0, 3.5, 0.0)],
    ]);
    obj.text
}

/// A hill in the north-east, and ripples everywhere.
fn height(x: f32, z: f32) -> f32 {
    let hill = |x0: f32, z0: f32, width: f32| (-((x - x0).powi(2) + (z - z0).powi(2)) / (width * width)).exp();
    6.0 * hill(17.0, -18.0, 9.0) + 2.0 * hill(18.0, 17.0, 8.0) + 0.15 * (0.7 * x).sin() * (0.6 * z).cos()
}

impl Obj {
    fn object(&mut self, name: &str) {
        self.line(format_args!("o {name}"));
    }

    fn ground(&mut self) {
        let first = self.vertices;
        let at = |square: u16| SIDE * (f32::from(square) / f32::from(SQUARES) - 0.5);
        for (row, column) in (0..=SQUARES).flat_map(|row| (0..=SQUARES).map(move |column| (row, column))) {
            let (x, z) = (at(column), at(row));
            self.vertex(Vec3::new(x, height(x, z), z));
        }
        let line = u32::from(SQUARES) + 1;
        for (row, column) in (0..line - 1).flat_map(|row| (0..line - 1).map(move |column| (row, column))) {
            let corner = first + row * line + column;
            self.face([corner, corner + line, corner + line + 1, corner + 1]);
        }
    }

    /// Adds a box.
    fn block(&mut self, min: Vec3, max: Vec3) {
        let edge = |x: f32, z: f32| [Vec3::new(x, min.y, z), Vec3::new(x, max.y, z)];
        self.hexahedron([edge(min.x, min.z), edge(max.x, min.z), edge(max.x, max.z), edge(min.x, max.z)]);
    }

    /// Adds the solid between four edges, each from its lower to its upper end, clockwise as seen from above.
    fn hexahedron(&mut self, edges: [[Vec3; 2]; 4]) {
        let low = |edge: u32| self.vertices + 2 * (edge % 4);
        let sides = [0, 1, 2, 3].map(|edge| [low(edge), low(edge) + 1, low(edge + 1) + 1, low(edge + 1)]);
        let (bottom, top) = ([0, 1, 2, 3].map(low), [3, 2, 1, 0].map(|edge| low(edge) + 1));
        edges.into_iter().flatten().for_each(|vertex| self.vertex(vertex));
        sides.into_iter().chain([bottom, top]).for_each(|face| self.face(face));
    }

    fn vertex(&mut self, Vec3 { x, y, z }: Vec3) {
        self.line(format_args!("v {x} {y} {z}"));
        self.vertices += 1;
    }

    /// Adds a face, given its corners by number from zero, counter-clockwise as seen from outside.
    fn face(&mut self, corners: [u32; 4]) {
        let [a, b, c, d] = corners.map(|corner| corner + 1);
        self.line(format_args!("f {a} {b} {c} {d}"));
    }

    fn line(&mut self, line: std::fmt::Arguments) {
        writeln!(self.text, "{line}").expect("a string takes any text");
    }
}
