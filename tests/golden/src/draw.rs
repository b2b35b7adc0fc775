//! Random numbers, and shapes and places made from them, by integers, sums and products only: their bits are the same
//! on every platform.

use cullide_world::{
    Shape,
    glam::{DVec3, Quat, Vec3},
    narrowphase::{Aabb, Brush, Obb, Patch, Plane, Ray, Sphere},
};

/// Integer quaternions, not of unit length: the identity, quarter turns about the axes, a third of a turn, and two with
/// rational matrices.
const TURNS: [[f32; 4]; 8] = [
    [0.0, 0.0, 0.0, 1.0],
    [1.0, 0.0, 0.0, 1.0],
    [0.0, 1.0, 0.0, 1.0],
    [0.0, 0.0, 1.0, 1.0],
    [0.0, 1.0, 0.0, 0.0],
    [1.0, 1.0, 1.0, 1.0],
    [1.0, 2.0, 2.0, 4.0],
    [0.0, 0.0, 1.0, 3.0],
];

/// The generator SplitMix64 by Steele, Lea and Flood (2014).
#[derive(Clone, Debug)]
pub(crate) struct Draw {
    state: u64,
}

impl Draw {
    /// The sequence of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// 64 random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// An integer below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (((self.bits() >> 32) * end as u64) >> 32) as usize
    }

    /// True one time in `n`.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of several choices.
    pub(crate) fn of<T: Copy, const N: usize>(&mut self, choices: [T; N]) -> T {
        choices[self.below(N)]
    }

    /// A multiple of 2^-24 in `[0, 1)`.
    pub(crate) fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u32 << 24) as f32
    }

    /// A vector with each component in `[-1, 1)`.
    pub(crate) fn cube(&mut self) -> Vec3 {
        Vec3::from_array([(); 3].map(|()| 2.0 * self.unit() - 1.0))
    }
}

/// The space of a world: a cube, on a grid or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The middle.
    pub(crate) origin: Vec3,
    /// Half the side.
    pub(crate) room: f32,
    /// Whether all coordinates and sizes are whole numbers and all rotations rational, so that there are touches and
    /// ties.
    pub(crate) is_grid: bool,
}

impl Place {
    /// A random vector with components up to `size`; on a grid, along an axis every other time.
    pub(crate) fn vector(&self, draw: &mut Draw, size: f32) -> Vec3 {
        if !self.is_grid {
            return draw.cube() * size;
        }
        let vector = (draw.cube() * size + 0.5).floor();
        if draw.one_in(2) { vector * Vec3::AXES[draw.below(3)] } else { vector }
    }

    /// A random point of the space.
    pub(crate) fn point(&self, draw: &mut Draw) -> Vec3 {
        let offset = draw.cube() * self.room;
        self.origin + if self.is_grid { offset.floor() } else { offset }
    }

    /// Half extents from a fraction of `most` to `most`.
    pub(crate) fn half_extents(&self, draw: &mut Draw, most: f32) -> Vec3 {
        if self.is_grid {
            return Vec3::from_array([(); 3].map(|()| draw.of([0.5, 1.0, 1.5]))) * most;
        }
        (draw.cube() * 0.5 + 0.625) * most
    }

    /// A rotation, as a quaternion of any length.
    pub(crate) fn rotation(&self, draw: &mut Draw) -> Quat {
        if self.is_grid || draw.one_in(8) {
            return Quat::from_array(draw.of(TURNS));
        }
        let axis = draw.cube();
        Quat::from_xyzw(axis.x, axis.y, axis.z, draw.unit() + 0.125)
    }

    /// A ray through the space: at a given point, or in any direction.
    pub(crate) fn ray(&self, draw: &mut Draw, aim: Option<Vec3>) -> Ray {
        loop {
            let origin = self.point(draw);
            let direction = match aim {
                Some(aim) => aim - origin,
                None => self.vector(draw, 4.0),
            };
            if let Ok(ray) = Ray::new(origin, direction) {
                return ray;
            }
        }
    }

    /// A box.
    pub(crate) fn obb(&self, draw: &mut Draw, most: f32) -> Obb {
        loop {
            let (center, rotation) = (self.point(draw), self.rotation(draw));
            if let Ok(obb) = Obb::new(center, rotation, self.half_extents(draw, most)) {
                return obb;
            }
        }
    }

    /// A ball, sometimes of radius zero.
    pub(crate) fn sphere(&self, draw: &mut Draw, most: f32) -> Sphere {
        let radius = if draw.one_in(10) { 0.0 } else { self.half_extents(draw, most).x };
        Sphere::new(self.point(draw), radius).expect("in range")
    }

    /// An axis-aligned box.
    pub(crate) fn aabb(&self, draw: &mut Draw, most: f32) -> Aabb {
        let (center, half) = (self.point(draw), self.half_extents(draw, most));
        Aabb::new(center - half, center + half).expect("not inverted")
    }

    /// A solid with up to twelve faces.
    pub(crate) fn brush(&self, draw: &mut Draw, most: f32) -> Brush {
        loop {
            if draw.one_in(4)
                && let Ok(brush) = Brush::try_from(&self.obb(draw, most))
            {
                return brush;
            }
            let faces = 5 + draw.below(8);
            let half_spaces: Vec<(DVec3, f64)> =
                (0..faces).map(|_| (self.vector(draw, 3.0).as_dvec3(), f64::from(most + draw.unit()))).collect();
            let solid = Brush::from_half_spaces(&half_spaces);
            if let Ok(brush) = solid.and_then(|brush| brush.translated(self.point(draw))) {
                return brush;
            }
        }
    }

    /// A polygon with three or four corners.
    pub(crate) fn patch(&self, draw: &mut Draw, most: f32) -> Patch {
        loop {
            let patch = if draw.one_in(2) {
                let corners = self.obb(draw, most).corners();
                Patch::new(&[0, 1, 3, 2].map(|corner| corners[corner]))
            } else {
                let point = self.point(draw);
                Patch::new(&[(); 3].map(|()| point + self.vector(draw, 3.0 * most)))
            };
            if let Ok(patch) = patch {
                return patch;
            }
        }
    }

    /// A plane through the space.
    pub(crate) fn plane(&self, draw: &mut Draw) -> Plane {
        loop {
            if let Ok(plane) = Plane::from_point_normal(self.point(draw), self.vector(draw, 3.0)) {
                return plane;
            }
        }
    }

    /// A random shape.
    pub(crate) fn shape(&self, draw: &mut Draw) -> Shape {
        let most = draw.of([0.5, 1.0, 2.0]);
        match draw.below(20) {
            0..=5 => self.aabb(draw, most).into(),
            6..=11 => self.obb(draw, most).into(),
            12..=14 => self.sphere(draw, most).into(),
            15..=17 => self.brush(draw, most).into(),
            _ => self.patch(draw, most).into(),
        }
    }
}
