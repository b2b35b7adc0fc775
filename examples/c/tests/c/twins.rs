//! The same seeded world twice: through the functions of C, and by the crates.

use crate::scene::{done, handle, out};
use cullide::*;
use cullide_world::{
    Compound, Filter, Mesh, Object, ObjectKey, PlacedMesh, PlaneKey, Shape, Target, Terrain, World, WorldPlane,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{Aabb, Brush, Capsule, Cylinder, Hull, Plane, Sides, Sphere},
};

/// xorshift.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(0x9e37_79b9_7f4a_7c15 ^ seed << 20)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }

    /// From `-reach` to `reach`.
    pub(crate) fn number(&mut self, reach: f32) -> f32 {
        (self.below(2001) as f32 / 1000.0 - 1.0) * reach
    }

    pub(crate) fn vector(&mut self, reach: f32) -> Vec3 {
        Vec3::new(self.number(reach), self.number(reach), self.number(reach))
    }

    pub(crate) fn pose(&mut self, reach: f32) -> (Quat, Vec3) {
        let turn = match self.below(3) {
            0 => Quat::IDENTITY,
            _ => Quat::from_xyzw(self.number(1.0), self.number(1.0), self.number(1.0), 1.5),
        };
        (turn, self.vector(reach))
    }
}

/// Shapes of every kind: as handles, and by their own constructors.
pub(crate) fn shapes() -> Vec<(Box<CullideShape>, Shape)> {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y * 1.5, Vec3::new(-1.0, 0.5, 0.5), Vec3::new(0.25, 0.75, -1.0)];
    let points = corners.map(CullideVec3::from);
    let faces = [[0u32, 1, 2], [0, 3, 1], [1, 3, 2], [0, 4, 1]];
    let walls = [
        (Vec3::X, -1.0),
        (Vec3::NEG_X, -0.5),
        (Vec3::Y, -1.0),
        (Vec3::NEG_Y, 0.25),
        (Vec3::Z, -0.75),
        (Vec3::NEG_Z, -1.0),
    ];
    let planes = walls.map(|(normal, d)| CullidePlane { normal: normal.into(), d });
    let heights: Vec<f32> = (0..30u8).map(|i| f32::from(i * 7 % 5) / 4.0).collect();
    let mesh = Mesh::new(&corners, &faces).unwrap();
    let terrain =
        Terrain::new(6, 5, &heights, Vec2::new(0.5, 0.75), Vec2::new(-1.0, -1.5)).unwrap().with_sides(Sides::Both);
    // SAFETY: the arrays are as long as is said.
    let hull = handle(|shape| unsafe { cullide_shape_hull(points.as_ptr(), 5, shape) });
    let ball = handle(|shape| cullide_shape_ball(0.75, shape));
    let children = [(&hull, Vec3::X), (&ball, Vec3::Y)].map(|(shape, place)| CullidePlacedShape {
        shape: &**shape,
        pose: (Quat::from_xyzw(0.0, 1.0, 0.0, 1.0), place).into(),
    });
    let placed = |shape: Shape, place| shape.transformed(Quat::from_xyzw(0.0, 1.0, 0.0, 1.0), place).unwrap();
    let sphere = Sphere::new(Vec3::ZERO, 0.75).unwrap();
    let compound =
        Compound::new([placed(Hull::new(&corners).unwrap().into(), Vec3::X), placed(sphere.into(), Vec3::Y)]);
    let surfaces = [7u16, 8, 9, 10];
    // SAFETY: as above.
    let [mesh_handle, terrain_handle, brush, both] = unsafe {
        [
            handle(|shape| {
                cullide_shape_mesh(
                    points.as_ptr(),
                    5,
                    faces.as_ptr().cast(),
                    4,
                    CULLIDE_BOTH_SIDES,
                    surfaces.as_ptr(),
                    shape,
                )
            }),
            handle(|shape| {
                cullide_shape_terrain(6, 5, heights.as_ptr(), -1.0, -1.5, 0.5, 0.75, CULLIDE_BOTH_SIDES, shape)
            }),
            handle(|shape| cullide_shape_brush(planes.as_ptr(), 6, shape)),
            handle(|shape| cullide_shape_compound(children.as_ptr(), 2, surfaces.as_ptr(), shape)),
        ]
    };
    let mesh = mesh.with_sides(Sides::Both).with_surfaces(&surfaces).unwrap();
    let scaled = PlacedMesh::new(&mesh, Quat::IDENTITY, Vec3::ZERO, Vec3::new(2.0, -1.0, 1.0)).unwrap();
    let scaled_handle =
        handle(|shape| cullide_shape_scaled(Some(&mesh_handle), Vec3::new(2.0, -1.0, 1.0).into(), shape));
    let walls = walls.map(|(normal, d)| Plane::new(normal, d).unwrap());
    let capsule = Capsule::from_half_axis(Vec3::ZERO, Vec3::Y * 0.5, 0.375).unwrap();
    let cone = Cylinder::from_half_axis(Vec3::ZERO, Vec3::Y * 0.75, [0.5, 0.0]).unwrap();
    let half = Vec3::new(0.5, 0.75, 1.0);
    vec![
        (
            handle(|shape| cullide_shape_box(half.into(), shape)),
            Aabb::from_center_half_extents(Vec3::ZERO, half).unwrap().into(),
        ),
        (ball, sphere.into()),
        (handle(|shape| cullide_shape_capsule(0.5, 0.375, shape)), capsule.into()),
        (handle(|shape| cullide_shape_cylinder(0.75, 0.5, 0.0, shape)), cone.into()),
        (hull, Hull::new(&corners).unwrap().into()),
        (brush, Brush::from_planes(&walls).unwrap().into()),
        (both, compound.unwrap().with_surfaces(&surfaces[..2]).unwrap().into()),
        (mesh_handle, mesh.into()),
        (scaled_handle, scaled.into()),
        (terrain_handle, terrain.into()),
    ]
}

/// The number of the first shapes, which may move.
pub(crate) const SOLIDS: usize = 7;

/// A world of both kinds.
pub(crate) struct Twins {
    pub(crate) random: Random,
    pub(crate) shapes: Vec<(Box<CullideShape>, Shape)>,
    pub(crate) c: Box<CullideWorld>,
    pub(crate) rust: World,
    pub(crate) c_keys: Vec<CullideKey>,
    pub(crate) keys: Vec<ObjectKey>,
    pub(crate) planes: Vec<(CullideKey, PlaneKey)>,
    /// For the filters.
    excluded: [CullideKey; 2],
}

impl Twins {
    /// Shapes of all kinds everywhere.
    pub(crate) fn new(seed: u64, count: usize) -> Self {
        let mut random = Random::new(seed);
        let kinds = SOLIDS + 3;
        let mut thing = |_| (random.below(kinds), random.pose(6.0), 1 << random.below(3), random.below(2) as u32);
        let things = (0..count).map(&mut thing).collect();
        let planes = [12.0, 0.0].map(|d| (random.vector(1.0) + Vec3::Y * 2.0, d));
        Self::of(random, things, planes)
    }

    /// A floor with solids in a row, of which every third is fixed.
    pub(crate) fn street(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let things = (0..9u8).map(|i| {
            let place = Vec3::new(1.5 * f32::from(i) + 2.0, 1.0, random.number(0.5));
            (random.below(SOLIDS), (Quat::IDENTITY, place), 1, u32::from(i % 3 != 0))
        });
        let things = things.collect();
        Self::of(random, things, [(Vec3::Y, 0.0), (Vec3::Z, 9.0)])
    }

    /// Things by shape, pose, layers and mobility; a half-space and a wall.
    fn of(random: Random, things: Vec<(usize, (Quat, Vec3), u32, u32)>, planes: [(Vec3, f32); 2]) -> Self {
        let shapes = shapes();
        let (mut c, mut rust) = (handle(|world| cullide_world_new(5, world)), World::with_tag(5));
        let objects = (0..).zip(&things).map(|(user, &(shape, pose, layers, mobility))| CullideObject {
            pose: pose.into(),
            mobility,
            layers,
            pairs_with: 0b11,
            user,
            ..cullide_object(&*shapes[shape].0)
        });
        let objects: Vec<CullideObject> = objects.collect();
        let mut c_keys = vec![0; objects.len()];
        // SAFETY: as many keys as objects.
        done(unsafe { cullide_insert(Some(&mut c), objects.as_ptr(), objects.len(), c_keys.as_mut_ptr()) });
        let keys = rust.insert_batch((0..).zip(&things).map(|(user, &(shape, _, layers, mobility))| {
            let model = shapes[shape].1.clone();
            let object = if mobility == CULLIDE_FIXED { Object::fixed(model) } else { Object::moving(model) };
            object.layers(layers).pairs_with(0b11).user(user)
        }));
        let poses: Vec<_> = keys.iter().zip(&things).map(|(key, (_, pose, ..))| (*key, pose.0, pose.1)).collect();
        rust.set_transform_batch(&poses).unwrap();
        let kinds = [CULLIDE_HALF_SPACE, CULLIDE_WALL].into_iter().zip(planes);
        let planes = kinds.map(|(kind, (normal, d))| {
            let plane = CullidePlane { normal: normal.into(), d };
            let twin = Plane::new(normal, d).unwrap();
            let twin = if kind == CULLIDE_WALL {
                rust.insert_plane(WorldPlane::wall(twin).layers(0b1))
            } else {
                rust.insert_plane(WorldPlane::half_space(twin).layers(0b1))
            };
            (out(|key| cullide_insert_plane(Some(&mut c), plane, kind, 0b1, key)), twin)
        });
        let planes = planes.collect();
        Self { random, shapes, c, rust, c_keys, keys, planes, excluded: [0; 2] }
    }

    /// A filter of both kinds.
    pub(crate) fn filter(&mut self) -> (CullideFilter, Filter<'static>) {
        let (given, filter) = match self.random.below(4) {
            0 => (cullide_filter_all(), Filter::ALL),
            1 => (CullideFilter { layers: 0b101, ..cullide_filter_all() }, Filter::layers(0b101)),
            2 => (CullideFilter { mobility: CULLIDE_FIXED, ..cullide_filter_all() }, Filter::ALL.fixed_only()),
            _ => {
                let one = self.random.below(self.keys.len());
                self.excluded = [self.c_keys[one], self.c_keys[one / 2]];
                let excluded = (self.excluded.as_ptr(), self.excluded.len());
                let given = CullideFilter {
                    mobility: CULLIDE_MOVING,
                    excluded: excluded.0,
                    excluded_count: excluded.1,
                    ..cullide_filter_all()
                };
                (given, Filter::ALL.moving_only().without(&[self.keys[one], self.keys[one / 2]]))
            }
        };
        (given, filter)
    }

    pub(crate) fn hashes_agree(&self) {
        assert_eq!(out(|hash| cullide_world_hash(Some(&self.c), hash)), self.rust.hash());
    }
}

/// A target as C knows it.
pub(crate) fn target(target: Target) -> CullideKey {
    match target {
        Target::Object(key) => key.to_bits(),
        Target::Plane(key) => !key.to_bits(),
    }
}
