//! Rigid bodies as a value, with everything that the next step starts from.

use crate::dynamics::{
    BodyState, Dynamics, NONE,
    body::{mass::MassProperties, materials::is_there, pose::BodyShape},
    islands::Islands,
};
use crate::{ContactPair, Material, ObjectKey, RigidBody, Target, World, contact::cache::ContactCache};
use cullide_narrowphase::{
    Aabb, Error, Mapped, Moments, ShapeMotion,
    glam::{DMat3, DVec3, Vec3},
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The state of a [`Dynamics`] at one time: made by [`Dynamics::snapshot`], for [`Dynamics::restore`].
///
/// It can be written in any serde format that preserves numbers exactly, beside the [snapshot](crate::World::snapshot)
/// of its world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DynamicsSnapshot {
    bodies: Vec<Option<SavedBody>>,
    /// Numbers of bodies that are free from the next step on; others without a body are free.
    released: Vec<u32>,
    pairs: Vec<Option<ContactPair>>,
    /// Whether the pairs, and the edits, were up to date with the world.
    is_current: bool,
    knows_edits: bool,
    gravity: Option<Vec3>,
    sleeping: Vec<Vec<u32>>,
    materials: Vec<(Target, Material)>,
    surface_materials: Vec<(ObjectKey, u16, Material)>,
    ignored: BTreeSet<(ObjectKey, ObjectKey)>,
    parted: Vec<(ObjectKey, Target)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SavedBody {
    key: ObjectKey,
    body: RigidBody,
    sizes: Vec3,
    /// Centre of mass and inertia in the coordinates of the shape, if they were given.
    given: Option<(DVec3, DMat3)>,
    /// As computed when the body was described; its shape has been rounded since.
    inverse_mass: f32,
    inverse_inertia: Vec3,
    radius: f32,
    inner_radius: f32,
    force: Vec3,
    torque: Vec3,
    credit: f32,
    still_seconds: f32,
    mean_velocities: [Vec3; 2],
    island: u32,
    last_motion: Vec3,
    last_rotation: Vec3,
    /// As bits, since a text format may not support infinities.
    last_turning: u32,
    /// The motion and the rotation that rounding has taken.
    lost: [Vec3; 2],
    reach: Aabb,
}

impl Dynamics {
    /// Returns everything that the next step starts from, other than the world; see [`Dynamics::restore`]. To go back
    /// within one program, clones of both are cheaper.
    ///
    /// Edits since the last step are saved as the next one would adopt them: an object that was removed is no longer a
    /// body.
    ///
    /// # Errors
    /// [`Error::OtherWorld`].
    pub fn snapshot(&self, world: &World) -> Result<DynamicsSnapshot, Error> {
        self.check_world(world)?;
        let synced = self.synced(world);
        let is_gone = |at: &u32| synced.bodies[*at as usize].is_none() && self.bodies[*at as usize].is_some();
        let gone = (0..self.bodies.len() as u32).filter(is_gone);
        Ok(synced.saved(world, sorted(self.released.iter().copied().chain(gone).collect())))
    }

    fn saved(&self, world: &World, released: Vec<u32>) -> DynamicsSnapshot {
        let (pairs, is_current) = self.contacts.save(world);
        let sleeping = self.islands.save();
        let saved = |state: &BodyState| SavedBody {
            key: state.key,
            body: state.body,
            sizes: state.sizes,
            given: state.shape.given(&state.body).map(|given| (given.center, given.inertia)),
            inverse_mass: state.inverse_mass,
            inverse_inertia: state.inverse_inertia,
            radius: state.radius,
            inner_radius: state.inner_radius,
            force: state.force,
            torque: state.torque,
            credit: state.credit,
            still_seconds: state.still_seconds,
            mean_velocities: state.mean_velocities,
            island: state.island,
            last_motion: state.last_motion.motion,
            last_rotation: state.last_motion.rotation,
            last_turning: state.last_turning.to_bits(),
            lost: [state.lost.motion, state.lost.rotation],
            reach: state.reach,
        };
        // Materials of removed things may or may not still be known.
        let materials = self.materials.of_targets.iter().filter(|((target, _), _)| is_there(world, *target));
        let materials = materials.map(|((target, _), material)| (*target, *material)).collect();
        let of_surfaces = self.materials.of_surfaces.iter().filter(|((target, _), _)| is_there(world, *target));
        let surface_materials = of_surfaces
            .filter_map(|((target, surface), material)| match target {
                Target::Object(key) => Some((*key, *surface, *material)),
                Target::Plane(_) => None,
            })
            .collect();
        let mut ignored = self.ignored.clone();
        ignored.retain(|(first, second)| [*first, *second].iter().all(|key| is_there(world, (*key).into())));
        DynamicsSnapshot {
            bodies: self.bodies.iter().map(|state| state.as_ref().map(saved)).collect(),
            released,
            pairs,
            is_current,
            knows_edits: self.edits_known == Some(world.edits.serials()),
            gravity: self.gravity,
            sleeping,
            materials,
            surface_materials,
            ignored,
            parted: sorted(self.parted.clone()),
        }
    }

    /// Returns rigid bodies that continue where others were saved, bit for bit, in the world that was saved with them
    /// and [restored](World::restore).
    ///
    /// # Errors
    /// [`Error::Inconsistent`] for a snapshot that does not belong to the world, or that was read from bytes that have
    /// been changed; whatever is returned can be stepped without a panic.
    ///
    /// ```
    /// use cullide_world::{Dynamics, DynamicsConfig, Object, RigidBody, World, glam::Vec3, narrowphase::Sphere};
    /// let (mut world, mut dynamics) = (World::new(), Dynamics::new());
    /// let ball = world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0)?));
    /// dynamics.insert(&mut world, ball, RigidBody::dynamic())?;
    /// let config = DynamicsConfig::default();
    /// dynamics.step(&mut world, 0.1, &config)?;
    /// let mut other = World::restore(&world.snapshot())?;
    /// let mut others = Dynamics::restore(&dynamics.snapshot(&world)?, &other)?;
    /// dynamics.step(&mut world, 0.1, &config)?;
    /// others.step(&mut other, 0.1, &config)?;
    /// assert_eq!((&world, dynamics.body(ball)), (&other, others.body(ball)));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn restore(snapshot: &DynamicsSnapshot, world: &World) -> Result<Self, Error> {
        let inconsistent = Error::Inconsistent { field: "snapshot" };
        let DynamicsSnapshot { bodies, released, sleeping, .. } = snapshot;
        let (ignored, parted) = (snapshot.ignored.clone(), snapshot.parted.clone());
        let mut dynamics =
            Self { world: Some(world.id), released: released.clone(), ignored, parted, ..Self::default() };
        for (target, material) in &snapshot.materials {
            dynamics.put_material(*target, *material)?;
        }
        for (key, surface, material) in &snapshot.surface_materials {
            dynamics.put_surface_material(*key, *surface, *material)?;
        }
        for (at, saved) in bodies.iter().enumerate() {
            let Some(saved) = saved else {
                dynamics.bodies.push(None);
                continue;
            };
            let body = saved.body.checked()?;
            let shape = saved.shape(world, &body).ok_or(inconsistent)?;
            let mass = MassProperties::new(&shape, body.mass);
            let SavedBody { sizes, inverse_mass, inverse_inertia, radius, inner_radius, .. } = *saved;
            let SavedBody { force, torque, credit, still_seconds, mean_velocities, island, reach, .. } = *saved;
            let last_motion = ShapeMotion { motion: saved.last_motion, rotation: saved.last_rotation };
            let last_turning = f32::from_bits(saved.last_turning);
            let lost = ShapeMotion { motion: saved.lost[0], rotation: saved.lost[1] };
            let new = BodyState::new(saved.key, body, shape, mass);
            // Numbers below the normal ones have few digits.
            let is_close = |a: f32, b: f32| (a - b).abs() <= 1e-3 * b.abs() + f32::MIN_POSITIVE;
            let are_close = |a: Vec3, b: Vec3| (0..3).all(|i| is_close(a[i], b[i]));
            let fits = are_close(sizes, new.sizes)
                && are_close(inverse_inertia, new.inverse_inertia)
                && is_close(inverse_mass, new.inverse_mass)
                && is_close(radius, new.radius)
                && is_close(inner_radius, new.inner_radius);
            if !fits
                || !force.is_finite()
                || !torque.is_finite()
                || !credit.is_finite()
                || credit < 0.0
                || still_seconds.is_nan()
                || !last_motion.motion.is_finite()
                || !last_motion.rotation.is_finite()
                || last_turning.is_nan()
                || !lost.motion.is_finite()
                || !lost.rotation.is_finite()
                || !mean_velocities.iter().all(|mean| mean.is_finite())
            {
                return Err(inconsistent);
            }
            let state = BodyState {
                axes: new.shape.axes(sizes),
                sizes,
                inverse_mass,
                inverse_inertia,
                radius,
                inner_radius,
                force,
                torque,
                credit,
                still_seconds,
                mean_velocities,
                island,
                last_motion,
                last_turning,
                lost,
                reach,
                known: reach,
                ..new
            };
            dynamics.bodies.push(Some(state));
            let index = saved.key.place();
            if dynamics.by_object.len() <= index {
                dynamics.by_object.resize(index + 1, NONE);
            }
            if std::mem::replace(&mut dynamics.by_object[index], at as u32) != NONE {
                return Err(inconsistent);
            }
        }
        let empty: BTreeSet<u32> = (0..).zip(bodies).filter(|(_, body)| body.is_none()).map(|(at, _)| at).collect();
        let later: BTreeSet<u32> = released.iter().copied().collect();
        if later.len() != released.len() || !later.is_subset(&empty) {
            return Err(inconsistent);
        }
        dynamics.free = empty.difference(&later).copied().collect();
        // Each sleeping body is in its own island, exactly once, and no other body is in any.
        let mut count = 0;
        for (island, members) in sleeping.iter().enumerate() {
            for at in members {
                let state = dynamics.bodies.get(*at as usize).and_then(Option::as_ref).ok_or(inconsistent)?;
                if state.island != island as u32 {
                    return Err(inconsistent);
                }
                count += 1;
            }
        }
        let asleep = dynamics.bodies.iter().flatten().filter(|state| !state.is_awake()).count();
        let mut members: Vec<u32> = sleeping.iter().flatten().copied().collect();
        members.sort_unstable();
        members.dedup();
        if asleep != count || members.len() != count {
            return Err(inconsistent);
        }
        dynamics.islands = Islands::restore(sleeping.clone());
        let pairs = snapshot.pairs.clone();
        let contacts = ContactCache::restore(world, pairs, snapshot.is_current);
        dynamics.contacts = contacts.ok_or(inconsistent)?;
        let numbers: Vec<u32> = dynamics.contacts.iter().map(|(number, _)| number).collect();
        for number in numbers {
            if snapshot.is_current {
                dynamics.connect(number);
            } else if let Some(pair) = dynamics.contacts.get(number) {
                // The next step puts a dynamic body first again, and takes up what has become a body since the last.
                let now = [dynamics.at(pair.first), dynamics.body_of(pair.second)].mapped(|at| at.unwrap_or(NONE));
                let known = [0, 1].mapped(|i| if pair.bodies[i] == now[i] { now[i] } else { NONE });
                dynamics.contacts.get_mut(number).into_iter().for_each(|pair| pair.bodies = known);
                dynamics.list(number, known);
            }
        }
        dynamics.gravity = snapshot.gravity;
        dynamics.edits_known = snapshot.knows_edits.then_some(world.edits.serials());
        Ok(dynamics)
    }
}

impl SavedBody {
    /// The shape of its object as that of a body; `None` if that does not fit.
    fn shape(&self, world: &World, body: &RigidBody) -> Option<BodyShape> {
        let shape = BodyShape::of(world, self.key, body, None)?;
        let (known, (center, inertia)) = match (shape.given(body), self.given) {
            (None, None) => return Some(shape),
            (known, saved) => (known?, saved?),
        };
        // Computed from where the object is now, they differ by rounding.
        let most = 1e-3 * known.inertia.to_cols_array().into_iter().fold(0.0, |most, entry| entry.abs().max(most));
        let far = 1e-3 * f64::from(shape.radius()) + f64::from(shape.aabb().max().abs().max_element() * 1e-5);
        let is_alike = (inertia - known.inertia).abs_diff_eq(DMat3::ZERO, most + f64::MIN_POSITIVE);
        let fits = is_alike && center.distance(known.center) <= far;
        BodyShape::of(world, self.key, body, Some(Moments { center, inertia, ..*known })).filter(|_| fits)
    }
}

fn sorted<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort_unstable();
    list
}
