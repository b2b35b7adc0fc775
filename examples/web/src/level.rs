//! The level of the page, as a user of the Rust interface builds it; `level.js` is its twin in JavaScript.
//!
//! Every number is a multiple of 1/1024 or comes from sums and products of `f64` alone, which round in the same way in
//! both languages.

use cullide_world::{
    Compound, Dynamics, Mass, Mesh, Object, ObjectKey, RigidBody, Shape, Terrain, World,
    glam::{DVec2, Quat, Vec2, Vec3},
    narrowphase::{Aabb, Capsule, Cylinder, Hull, Sphere},
};
use std::error::Error;

/// Samples along a side of the terrain, and the distance between them.
pub(crate) const SAMPLES: u32 = 129;
pub(crate) const SPACING: f64 = 0.75;
pub(crate) const CORNER: f64 = -48.0;
/// Hills and a pond: centre in x and z, radius, height.
const HILLS: [[f64; 4]; 10] = [
    [-38.0, -34.0, 22.0, 9.0],
    [0.0, -42.0, 20.0, 6.0],
    [34.0, -34.0, 20.0, 10.0],
    [45.0, 0.0, 18.0, 7.0],
    [36.0, 38.0, 20.0, 8.0],
    [2.0, 45.0, 20.0, 6.0],
    [-34.0, 38.0, 20.0, 9.0],
    [-44.0, 0.0, 18.0, 6.0],
    [24.0, 20.0, 9.0, 3.5],
    [-14.0, 14.0, 8.0, -2.5],
];
/// House, terrace and lintel: centres and half sizes.
const WALLS: [[f32; 6]; 13] = [
    [-15.0, 1.5, -15.75, 5.0, 1.75, 0.25],
    [-19.75, 1.5, -12.0, 0.25, 1.75, 3.5],
    [-10.25, 0.375, -12.0, 0.25, 0.625, 3.5],
    [-10.25, 2.75, -12.0, 0.25, 0.5, 3.5],
    [-10.25, 1.625, -14.5, 0.25, 0.625, 1.0],
    [-10.25, 1.625, -9.5, 0.25, 0.625, 1.0],
    [-18.0, 1.5, -8.25, 2.0, 1.75, 0.25],
    [-12.0, 1.5, -8.25, 2.0, 1.75, 0.25],
    [-15.0, 2.75, -8.25, 1.0, 0.5, 0.25],
    [-2.0, 1.375, -15.0, 6.0, 1.625, 4.0],
    [-2.0, 3.5, -18.75, 6.0, 0.5, 0.25],
    [-7.75, 3.5, -15.0, 0.25, 0.5, 3.5],
    [16.0, 4.25, 0.0, 0.75, 0.25, 10.75],
];
const ROOF: [[f32; 3]; 6] = [
    [-20.5, 3.25, -16.5],
    [-20.5, 3.25, -7.5],
    [-9.5, 3.25, -16.5],
    [-9.5, 3.25, -7.5],
    [-20.5, 5.5, -12.0],
    [-9.5, 5.5, -12.0],
];
const RAMP: [[f32; 3]; 6] = [
    [4.0, 3.0, -18.0],
    [4.0, 3.0, -13.0],
    [4.0, -0.25, -18.0],
    [4.0, -0.25, -13.0],
    [13.0, -0.25, -18.0],
    [13.0, -0.25, -13.0],
];
const ROCK: [[f32; 3]; 10] = [
    [0.5, 0.125, 0.0],
    [-0.5, 0.0, 0.125],
    [0.125, 0.5, 0.0],
    [0.0, -0.375, 0.125],
    [0.125, 0.0, 0.5],
    [0.0, 0.125, -0.5],
    [0.375, 0.375, 0.25],
    [-0.375, 0.25, -0.25],
    [-0.25, -0.25, 0.375],
    [0.25, -0.25, -0.375],
];
/// Segments of the bridge.
const SEGMENTS: u16 = 16;
/// Kilograms per cubic metre.
const DENSITY: f32 = 50.0;

/// A level with what moves in it.
pub(crate) struct Level {
    pub(crate) world: World,
    pub(crate) dynamics: Dynamics,
    pub(crate) terrain: ObjectKey,
    pub(crate) ball: Shape,
    pub(crate) crate_: Shape,
}

/// Returns how high the ground is in the beginning.
pub(crate) fn height(x: f64, z: f64) -> f64 {
    HILLS.iter().fold(0.0, |sum, &[hill_x, hill_z, radius, height]| sum + height * bump(x - hill_x, z - hill_z, radius))
}

/// Returns a bump of height 1 that ends at a radius.
pub(crate) fn bump(x: f64, z: f64, radius: f64) -> f64 {
    let share = 1.0 - DVec2::new(x, z).length_squared() / (radius * radius);
    if share > 0.0 { share * share } else { 0.0 }
}

/// Returns where a sample is, in x or z.
pub(crate) fn at(sample: u32) -> f64 {
    CORNER + SPACING * f64::from(sample)
}

impl Level {
    pub(crate) fn new() -> Result<Self, Box<dyn Error>> {
        let mut world = World::with_tag(1);
        let samples = (0..SAMPLES).flat_map(|row| (0..SAMPLES).map(move |column| height(at(column), at(row)) as f32));
        let (spacing, corner) = (Vec2::splat(SPACING as f32), Vec2::splat(CORNER as f32));
        let terrain = Terrain::new(SAMPLES, SAMPLES, &samples.collect::<Vec<_>>(), spacing, corner)?;
        let terrain = world.insert(Object::fixed(terrain));
        let (ball, crate_) = (Sphere::new(Vec3::ZERO, 0.375)?.into(), cuboid(Vec3::splat(0.4375))?);
        let mut level = Self { world, dynamics: Dynamics::new(), terrain, ball, crate_ };
        level.build()?;
        level.furnish()?;
        Ok(level)
    }

    /// Everything that stays.
    fn build(&mut self) -> Result<(), Box<dyn Error>> {
        for wall in WALLS {
            self.fix(cuboid(Vec3::from_slice(&wall[3..]))?, Vec3::from_slice(&wall))?;
        }
        for step in 0..12u8 {
            let step = f32::from(step);
            let half = 0.25 + 0.125 * step;
            self.fix(cuboid(Vec3::new(2.0, half, 0.25))?, Vec3::new(-4.0, half - 0.25, -5.25 - 0.5 * step))?;
        }
        for points in [ROOF, RAMP] {
            self.fix(Hull::new(&points.map(Vec3::from_array))?.into(), Vec3::ZERO)?;
        }
        let column = Shape::from(Cylinder::from_half_axis(Vec3::ZERO, Vec3::Y * 2.0, [0.375; 2])?);
        for column_z in [-10.0, -6.0, -2.0, 2.0, 6.0, 10.0] {
            self.fix(column.clone(), Vec3::new(16.0, 2.0, column_z))?;
        }
        self.fix(bridge()?.into(), Vec3::ZERO)
    }

    /// Everything that falls.
    fn furnish(&mut self) -> Result<(), Box<dyn Error>> {
        let (crate_, ball) = (self.crate_.clone(), self.ball.clone());
        for row in 0..4u8 {
            for i in 0..4 - row {
                let x = 12.5 + 0.5 * f32::from(row) + f32::from(i);
                self.drop(&crate_, Vec3::new(x, 0.4414 + 0.879 * f32::from(row), -1.0), Quat::IDENTITY)?;
            }
        }
        for i in 0..10u8 {
            let at = Vec3::new(5.0 + 0.9375 * f32::from(i % 2), 0.4414 + 0.879 * f32::from(i / 2), 6.0);
            self.drop(&crate_, at, Quat::IDENTITY)?;
        }
        let barrel = Cylinder::from_half_axis(Vec3::ZERO, Vec3::Y * 0.5, [0.375; 2])?.into();
        let pin = Capsule::from_half_axis(Vec3::ZERO, Vec3::Y * 0.375, 0.25)?.into();
        let rock = Hull::new(&ROCK.map(Vec3::from_array))?.into();
        let leg = cuboid(Vec3::new(0.0625, 0.34375, 0.0625))?;
        let legs = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]]
            .map(|[x, z]| leg.transformed(Quat::IDENTITY, Vec3::new(0.625 * x, 0.34375, 0.375 * z)));
        let top = cuboid(Vec3::new(0.75, 0.0625, 0.5))?.transformed(Quat::IDENTITY, Vec3::Y * 0.75)?;
        let table = Compound::new(legs.into_iter().chain([Ok(top)]).collect::<Result<Vec<_>, _>>()?)?.into();
        let lying = Quat::from_xyzw(0.0, 0.0, 0.6, 0.8);
        for i in 0..4u8 {
            let i = f32::from(i);
            self.drop(&barrel, Vec3::new(7.0 + i, 0.5039, -2.5), Quat::IDENTITY)?;
            self.drop(&ball, Vec3::new(1.0 + i, 2.5, 4.5), Quat::IDENTITY)?;
            self.drop(&rock, Vec3::new(-3.0 + 1.5 * i, 3.0, 10.0), lying)?;
            self.drop(&pin, Vec3::new(8.0 + i, 1.5, 9.0), lying)?;
            self.drop(&table, Vec3::new(-18.0 + 2.0 * i, 0.0625, -12.0), Quat::IDENTITY)?;
        }
        Ok(())
    }

    fn fix(&mut self, shape: Shape, at: Vec3) -> Result<(), Box<dyn Error>> {
        self.world.insert_at(Object::fixed(shape), Quat::IDENTITY, at)?;
        Ok(())
    }

    /// Inserts a body.
    pub(crate) fn drop(&mut self, shape: &Shape, at: Vec3, turn: Quat) -> Result<ObjectKey, Box<dyn Error>> {
        let key = self.world.insert_at(Object::moving(shape.clone()), turn, at)?;
        let body = RigidBody { mass: Mass::Density(DENSITY), angular_damping: 0.5, ..RigidBody::dynamic() };
        self.dynamics.insert(&mut self.world, key, body)?;
        Ok(key)
    }
}

fn cuboid(half: Vec3) -> Result<Shape, Box<dyn Error>> {
    Ok(Aabb::from_center_half_extents(Vec3::ZERO, half)?.into())
}

/// A bridge over the pond, curved as a parabola.
fn bridge() -> Result<Mesh, Box<dyn Error>> {
    let (mut vertices, mut triangles) = (vec![], vec![]);
    for i in 0..=SEGMENTS {
        let along = 2.0 * f64::from(i) / f64::from(SEGMENTS) - 1.0;
        let (x, y) = (-14.0 + 9.0 * along, 2.0 * (1.0 - along * along));
        for (z, below) in [(12.5, 0.0), (15.5, 0.0), (15.5, 0.5), (12.5, 0.5)] {
            vertices.push(Vec3::new(x as f32, (y - below) as f32, z));
        }
    }
    for segment in (0..u32::from(SEGMENTS)).map(|i| 4 * i) {
        for side in 0..4 {
            let (a, b) = (segment + side, segment + (side + 1) % 4);
            triangles.extend([[a, b, b + 4], [a, b + 4, a + 4]]);
        }
    }
    Ok(Mesh::new(&vertices, &triangles)?)
}
