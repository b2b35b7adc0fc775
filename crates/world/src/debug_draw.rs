//! Draws a world as lines, with whatever the caller draws lines with.

use crate::{BoxStepper, Filter, Mobility, Object, Shape, World, WorldPlane, shape::Convex};
use cullide_bvh::Bvh;
use cullide_narrowphase::{Aabb, Capsule, Cast, Cylinder, Segment, Sides, Sphere, glam::Vec3};
use std::f32::consts::TAU;

/// A line to be drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// One end; the tail of an arrow.
    pub start: Vec3,
    /// The other end; the head of an arrow.
    pub end: Vec3,
    /// What the line shows, for example to choose its colour.
    pub kind: LineKind,
}

/// What a line shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LineKind {
    /// A fixed object.
    Fixed,
    /// A moving object.
    Moving,
    /// A piece of an infinite plane, or which side of it is free.
    Plane,
    /// The box of an object as stored in the trees; for a moving object it may be larger than the shape.
    Leaf,
    /// The box of a tree node; the root has depth 0.
    Node {
        /// How many nodes are above it.
        depth: usize,
    },
    /// A line between points at which a body touched something in the last step.
    Contact,
    /// The normal at such a point, as an arrow.
    Normal,
    /// The motion of an object, as an arrow.
    Velocity,
}

/// Which parts of a world to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawOptions {
    /// The edges of shapes; three circles for a ball, one for each end of a cylinder, and one with two half circles for
    /// each end of a capsule.
    pub shapes: bool,
    /// Grids in the infinite planes.
    pub planes: Option<PlaneGrid>,
    /// The boxes of the trees' leaves.
    pub leaves: bool,
    /// The boxes of the trees' nodes down to this depth.
    pub nodes: Option<usize>,
    /// The contacts of the last step, with normals of this length: [`BoxStepper::debug_draw`] and, of rigid bodies,
    /// `Dynamics::debug_draw` draw them.
    pub contacts: Option<f32>,
    /// The motion of objects with a velocity, over this many seconds.
    pub velocities: Option<f32>,
    /// Only lines that touch this box, such as those near a camera; of a large terrain, only what is there is looked at.
    /// `None` for all.
    pub within: Option<Aabb>,
}

/// A square grid in every infinite plane, next to a given point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneGrid {
    /// The point, such as the position of a camera. As it moves, the grid lines stay in place.
    pub around: Vec3,
    /// The distance between lines; if it is not positive, there are no lines.
    pub spacing: f32,
    /// The number of squares on either side of the middle.
    pub cells: u16,
}

impl Default for DrawOptions {
    /// Options for a world in metres: shapes, planes around the origin, contacts and velocities, but no trees.
    fn default() -> Self {
        let planes = Some(PlaneGrid { around: Vec3::ZERO, spacing: 1.0, cells: 10 });
        Self {
            shapes: true,
            planes,
            leaves: false,
            nodes: None,
            contacts: Some(0.25),
            velocities: Some(0.1),
            within: None,
        }
    }
}

/// Lines per circle.
const SEGMENTS: u16 = 24;

impl World {
    /// Calls `draw` for every line that `options` select, except contacts. Objects and their motion and planes are drawn
    /// if the filter accepts them, in ascending order of keys; leaves and nodes come in no fixed order. A line with an end
    /// that is not finite is left out.
    ///
    /// ```
    /// # use cullide_world::{DrawOptions, Filter, LineKind, Object, World, narrowphase::Aabb, glam::Vec3};
    /// let mut world = World::new();
    /// let ball = world.insert(Object::moving(Aabb::new(Vec3::ZERO, Vec3::new(2.0, 4.0, 6.0))?));
    /// world.object_mut(ball).unwrap().set_velocity(Vec3::X * 30.0)?;
    /// let mut lines = vec![];
    /// world.debug_draw(&DrawOptions::default(), &Filter::ALL, |line| lines.push(line));
    /// assert_eq!(lines.iter().filter(|line| line.kind == LineKind::Moving).count(), 12);
    /// assert_eq!((lines[12].kind, lines[12].end), (LineKind::Velocity, Vec3::new(4.0, 2.0, 3.0)));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn debug_draw(&self, options: &DrawOptions, filter: &Filter, mut draw: impl FnMut(Line)) {
        let within = options.within.as_ref();
        let mut line =
            |start: Vec3, end: Vec3, kind: LineKind| draw_within(within, Line { start, end, kind }, &mut draw);
        for (_, object) in self.objects().filter(|(key, object)| is_chosen(filter, *key, object.get())) {
            if options.shapes {
                let kind = if object.mobility == Mobility::Fixed { LineKind::Fixed } else { LineKind::Moving };
                edges(&object.shape, within, &mut |start, end| line(start, end, kind));
            }
            let velocity = object.velocity();
            if let Some(seconds) = options.velocities
                && velocity != Vec3::ZERO
            {
                let center = object.shape.aabb().center();
                line(center, center + velocity * seconds, LineKind::Velocity);
            }
        }
        if let Some(grid) = options.planes {
            for (_, entry) in self.planes().filter(|(_, entry)| filter.accepts_plane(entry.layers)) {
                grid.lines(entry, |start, end| line(start, end, LineKind::Plane));
            }
        }
        for tree in self.trees(filter) {
            if options.leaves {
                let is_chosen = |(key, object)| is_chosen(filter, key, object);
                let chosen = tree.leaves().filter(|leaf| is_chosen(self.keyed_object(*leaf)));
                let boxes = chosen.filter_map(|leaf| tree.aabb(leaf));
                boxes.for_each(|aabb| box_edges(corners(&aabb), |start, end| line(start, end, LineKind::Leaf)));
            }
            if let Some(deepest) = options.nodes {
                nodes(tree, deepest, |start, end, depth| line(start, end, LineKind::Node { depth }));
            }
        }
    }
}

impl BoxStepper {
    /// Calls `draw` for every line of the contacts of the last step, if `options` select them, of bodies that the filter
    /// accepts, in ascending order of keys. What else the options select, [`World::debug_draw`] draws.
    ///
    /// ```
    /// # use cullide_world::{BoxBody, BoxStepper, DrawOptions, Filter, LineKind, Object, BoxStepConfig, World, narrowphase::Aabb, glam::Vec3};
    /// let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    /// world.insert(Object::fixed(Aabb::new(Vec3::ZERO, Vec3::new(9.0, 1.0, 9.0))?));
    /// let crate_ = world.insert(Object::moving(Aabb::new(Vec3::new(2.0, 1.5, 2.0), Vec3::new(3.0, 2.5, 3.0))?));
    /// boxes.insert(&mut world, crate_, BoxBody { velocity: Vec3::NEG_Y, ..BoxBody::default() })?;
    /// boxes.step(&mut world, 1.0, &BoxStepConfig::default())?;
    /// let mut lines = vec![];
    /// boxes.debug_draw(&world, &DrawOptions::default(), &Filter::ALL, |line| lines.push(line.kind));
    /// assert_eq!(lines, [[LineKind::Contact; 4], [LineKind::Normal; 4]].concat());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn debug_draw(&self, world: &World, options: &DrawOptions, filter: &Filter, mut draw: impl FnMut(Line)) {
        let Some(length) = options.contacts else { return };
        let within = options.within.as_ref();
        let mut line =
            |start: Vec3, end: Vec3, kind: LineKind| draw_within(within, Line { start, end, kind }, &mut draw);
        for contact in self.contacts() {
            if !world.object(contact.body).is_some_and(|object| is_chosen(filter, contact.body, object.get())) {
                continue;
            }
            let points = contact.contacts.points();
            ring(points, |start, end| line(start, end, LineKind::Contact));
            points.iter().for_each(|&p| line(p, p + contact.normal * length, LineKind::Normal));
        }
    }
}

#[cfg(feature = "dynamics")]
impl crate::Dynamics {
    /// Calls `draw` for every line of the contacts that pushed in the last step, if `options` select them, of pairs whose
    /// first body the filter accepts: lines between the points of each contact, and the normals there, toward that body.
    /// Those of bodies that sleep are drawn as they were when these fell asleep. In no order that means anything. What
    /// else the options select, [`World::debug_draw`] draws.
    ///
    /// ```
    /// # use cullide_world::{DrawOptions, Dynamics, DynamicsConfig, Filter, LineKind, Object, RigidBody, World};
    /// # use cullide_world::narrowphase::{Aabb, Error, Plane};
    /// # use cullide_world::glam::Vec3;
    /// let (mut world, mut dynamics) = (World::new(), Dynamics::new());
    /// world.insert_plane(Plane::new(Vec3::Y, 0.0)?);
    /// let crate_ = world.insert(Object::moving(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// dynamics.insert(&mut world, crate_, RigidBody::dynamic())?;
    /// dynamics.step(&mut world, 1.0 / 60.0, &DynamicsConfig::default())?;
    /// let mut lines = vec![];
    /// dynamics.debug_draw(&world, &DrawOptions::default(), &Filter::ALL, |line| lines.push(line.kind));
    /// assert_eq!(lines, [[LineKind::Contact; 4], [LineKind::Normal; 4]].concat());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn debug_draw(&self, world: &World, options: &DrawOptions, filter: &Filter, mut draw: impl FnMut(Line)) {
        let Some(length) = options.contacts else { return };
        let within = options.within.as_ref();
        let mut line =
            |start: Vec3, end: Vec3, kind: LineKind| draw_within(within, Line { start, end, kind }, &mut draw);
        let is_drawn = |key| world.object(key).is_some_and(|object| is_chosen(filter, key, object.get()));
        for pair in self.contacts().filter(|pair| pair.is_touching() && is_drawn(pair.first)) {
            let pushing: Vec<_> = pair.points(world).filter(|at| at.impulse > 0.0).collect();
            for contact in pushing.chunk_by(|a, b| (a.first_part, a.part) == (b.first_part, b.part)) {
                let mut points: Vec<Vec3> = contact.iter().map(|at| at.point).collect();
                // Around the contact.
                let (u, v) = contact[0].normal.any_orthonormal_pair();
                let middle = points.iter().sum::<Vec3>() / points.len() as f32;
                points.sort_by(|a, b| {
                    let [a, b] = [a, b].map(|point| (point - middle).dot(u).atan2((point - middle).dot(v)));
                    a.total_cmp(&b)
                });
                ring(&points, |start, end| line(start, end, LineKind::Contact));
                contact.iter().for_each(|at| line(at.point, at.point - at.normal * length, LineKind::Normal));
            }
        }
    }
}

/// Draws a line if its ends are finite and it touches a box, if there is one.
fn draw_within(within: Option<&Aabb>, line: Line, draw: &mut impl FnMut(Line)) {
    let path = || Segment::between(line.start, line.end).map(|line| line.path());
    let touches = |aabb: &Aabb| path().is_ok_and(|path| aabb.is_crossed(&path));
    if line.start.is_finite() && line.end.is_finite() && within.is_none_or(touches) {
        draw(line);
    }
}

fn is_chosen(filter: &Filter, key: crate::ObjectKey, object: &Object) -> bool {
    filter.accepts_layers(object.layers) && filter.accepts_mobility(object.mobility) && filter.accepts(key, object)
}

fn nodes(tree: &Bvh, deepest: usize, mut line: impl FnMut(Vec3, Vec3, usize)) {
    tree.for_each_node(|depth, aabb| {
        if depth <= deepest {
            box_edges(corners(&aabb), |start, end| line(start, end, depth));
        }
    });
}

/// Draws the edges of a shape; of a composite one only those of the parts near a box, if there is one.
fn edges(shape: &Shape, within: Option<&Aabb>, line: &mut dyn FnMut(Vec3, Vec3)) {
    if within.is_some_and(|within| !within.overlaps(&shape.aabb())) {
        return;
    }
    let mut numbers: Vec<u32> = vec![];
    match (within, shape) {
        (Some(within), _) if shape.is_composite() => shape.parts_near(within, &mut |number, _| numbers.push(number)),
        (_, Shape::Mesh(shape)) => numbers.extend(0..shape.mesh().len() as u32),
        (_, Shape::Terrain(shape)) => numbers.extend(0..shape.terrain().len() as u32),
        (None, Shape::Compound(shape)) => {
            let children = (0..shape.compound().len() as u32).filter_map(|number| shape.child(number));
            return children.for_each(|child| edges(&child, None, line));
        }
        _ => numbers.push(0),
    }
    numbers.sort_unstable();
    numbers.into_iter().filter_map(|number| shape.part(number)).for_each(|part| edges_of_part(&part, line));
}

fn edges_of_part(part: &Convex, line: &mut dyn FnMut(Vec3, Vec3)) {
    match part {
        Convex::Aabb(shape) => box_edges(corners(shape), line),
        Convex::Obb(shape) => box_edges(shape.corners(), line),
        Convex::Sphere(shape) => circles(shape, line),
        Convex::Capsule(shape) => pill(shape, line),
        Convex::Cylinder(shape) => can(shape, line),
        Convex::Triangle(shape, _) => ring(&shape.points(), line),
        Convex::Patch(shape) => ring(shape.points(), line),
        Convex::Brush(shape) => {
            let vertex = |i: usize| shape.vertices()[i].as_vec3();
            shape.edges().iter().for_each(|edge| line(vertex(edge.vertices[0]), vertex(edge.vertices[1])));
        }
    }
}

/// The corners of a box: bit `i` of the index is set at the upper end of axis `i`.
fn corners(aabb: &Aabb) -> [Vec3; 8] {
    let (min, max) = (aabb.min(), aabb.max());
    std::array::from_fn(|index| {
        Vec3::from_array(std::array::from_fn(|axis| if index >> axis & 1 == 1 { max[axis] } else { min[axis] }))
    })
}

/// The twelve edges between corners whose numbers differ in one bit.
fn box_edges(corners: [Vec3; 8], mut line: impl FnMut(Vec3, Vec3)) {
    for axis in [1, 2, 4] {
        (0..8).filter(|low| low & axis == 0).for_each(|low| line(corners[low], corners[low | axis]));
    }
}

/// Draws lines from each point to the next and from the last to the first; two points have one line.
fn ring(points: &[Vec3], mut line: impl FnMut(Vec3, Vec3)) {
    points.windows(2).for_each(|pair| line(pair[0], pair[1]));
    if let [first, _, .., last] = points {
        line(*last, *first);
    }
}

/// Draws one circle perpendicular to each axis.
fn circles(sphere: &Sphere, mut line: impl FnMut(Vec3, Vec3)) {
    for axis in 0..3 {
        let (u, v) = (Vec3::AXES[(axis + 1) % 3], Vec3::AXES[(axis + 2) % 3]);
        let points: [Vec3; SEGMENTS as usize] = std::array::from_fn(|i| {
            let (sin, cos) = (TAU * i as f32 / f32::from(SEGMENTS)).sin_cos();
            sphere.center() + (u * cos + v * sin) * sphere.radius()
        });
        ring(&points, &mut line);
    }
}

/// Draws the rims of both ends, two arcs over each, and four lines between them; without a length, a ball.
fn pill(capsule: &Capsule, mut line: impl FnMut(Vec3, Vec3)) {
    let ([a, b], radius) = (capsule.ends(), capsule.radius());
    let Some(along) = capsule.half_axis().as_dvec3().try_normalize() else {
        return Sphere::new(a, radius).into_iter().for_each(|ball| circles(&ball, &mut line));
    };
    let along = along.as_vec3();
    let (u, v) = along.any_orthonormal_pair();
    for (end, out) in [(a, -along), (b, along)] {
        let turned = |i: u16, from: Vec3, to: Vec3| {
            let (sin, cos) = (TAU * f32::from(i) / f32::from(SEGMENTS)).sin_cos();
            end + (from * cos + to * sin) * radius
        };
        for i in 0..SEGMENTS {
            line(turned(i, u, v), turned(i + 1, u, v));
        }
        for side in [u, v] {
            for i in 0..SEGMENTS / 2 {
                line(turned(i, side, out), turned(i + 1, side, out));
            }
        }
    }
    [u, v, -u, -v].iter().for_each(|side| line(a + side * radius, b + side * radius));
}

/// Draws the rims of both ends, and four lines between them.
fn can(cylinder: &Cylinder, mut line: impl FnMut(Vec3, Vec3)) {
    let Some(along) = cylinder.half_axis().as_dvec3().try_normalize() else { return };
    let (u, v) = along.as_vec3().any_orthonormal_pair();
    let rims: [[Vec3; SEGMENTS as usize]; 2] = std::array::from_fn(|end| {
        let (middle, radius) = (cylinder.ends()[end], cylinder.radii()[end]);
        std::array::from_fn(|i| {
            let (sin, cos) = (TAU * i as f32 / f32::from(SEGMENTS)).sin_cos();
            middle + (u * cos + v * sin) * radius
        })
    });
    rims.iter().for_each(|rim| ring(rim, &mut line));
    (0..4).map(|side| side * usize::from(SEGMENTS) / 4).for_each(|i| line(rims[0][i], rims[1][i]));
}

impl PlaneGrid {
    fn lines(&self, entry: &WorldPlane, mut line: impl FnMut(Vec3, Vec3)) {
        let Self { around, spacing, cells } = *self;
        if spacing.is_nan() || spacing <= 0.0 {
            return;
        }
        let normal = entry.plane.normal();
        let (u, v) = normal.any_orthonormal_pair();
        // A whole number of squares away from the plane's point nearest to the origin.
        let origin = entry.plane.closest_point(Vec3::ZERO);
        let along = |axis: Vec3| axis * ((around - origin).dot(axis) / spacing).round() * spacing;
        let middle = origin + along(u) + along(v);
        let (cells, half) = (i32::from(cells), f32::from(cells) * spacing);
        for offset in (-cells..=cells).map(|i| i as f32 * spacing) {
            line(middle + u * offset - v * half, middle + u * offset + v * half);
            line(middle + v * offset - u * half, middle + v * offset + u * half);
        }
        // A line to each side that is free.
        let foot = if entry.sides == Sides::Both { middle - normal * spacing } else { middle };
        line(foot, middle + normal * spacing);
    }
}
