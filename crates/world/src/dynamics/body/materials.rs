//! How surfaces behave in contact, and how two of them combine.

use crate::{
    Material, ObjectKey, PartContact, Target, World,
    contact::{ContactPair, cache::ContactCache},
    dynamics::{BodyState, Dynamics, NONE},
};
use cullide_narrowphase::{Error, glam::Vec3};
use std::collections::btree_map::{BTreeMap, Range};

/// Materials given by callers.
#[derive(Clone, Debug, Default)]
pub(in crate::dynamics) struct Materials {
    /// Those of planes, and of objects that are not bodies: of surface 0, whichever it is.
    pub(in crate::dynamics) of_targets: BTreeMap<(Target, u16), Material>,
    /// Those of surfaces of objects, bodies or not.
    pub(in crate::dynamics) of_surfaces: BTreeMap<(Target, u16), Material>,
}

impl Materials {
    pub(in crate::dynamics) fn len(&self) -> usize {
        self.of_targets.len() + self.of_surfaces.len()
    }

    /// Those of the surfaces of an object.
    fn of_target(&self, target: Target) -> Range<'_, (Target, u16), Material> {
        self.of_surfaces.range((target, 0)..=(target, u16::MAX))
    }

    /// Whether the surface of a body, or of anything else that it touches and that is not a body, runs as a belt does.
    pub(in crate::dynamics) fn drives(&self, world: &World, contacts: &ContactCache, state: &BodyState) -> bool {
        let runs = |material: Option<&Material>| material.is_some_and(|known| known.surface_velocity != Vec3::ZERO);
        let mut own = self.of_target(state.key.into());
        let touches_belt = |pair: &ContactPair| {
            let of_part = |part: &PartContact| match pair.second {
                Target::Object(_) => self.of_surfaces.get(&(pair.second, world.surface(pair.second, part.part)?)),
                Target::Plane(_) => None,
            };
            runs(self.of_targets.get(&(pair.second, 0))) || pair.parts.iter().any(|part| runs(of_part(part)))
        };
        let mut pairs = state.pairs.iter().filter_map(|number| contacts.get(*number));
        runs(Some(&state.body.material)) || own.any(|(_, known)| runs(Some(known))) || pairs.any(touches_belt)
    }

    /// Forgets the materials of removed objects and planes.
    pub(in crate::dynamics) fn forget_removed(&mut self, world: &World) {
        for materials in [&mut self.of_targets, &mut self.of_surfaces] {
            materials.retain(|(target, _), _| is_there(world, *target));
        }
    }
}

impl Dynamics {
    /// Sets how the surface of a plane or an object behaves; it is [`Material::default`] until then. For a rigid body
    /// this changes the [`material`](crate::RigidBody::material) of its description. A change wakes the bodies that
    /// touch the target, and the target itself.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::Negative`]; [`Error::StaleKey`], [`Error::OtherWorld`]. Then nothing has changed.
    ///
    /// ```
    /// # use cullide_world::{Dynamics, Material, Object, RigidBody, World, glam::Vec3, narrowphase::Sphere};
    /// let mut world = World::new();
    /// let ball = world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0)?));
    /// let mut dynamics = Dynamics::new();
    /// dynamics.insert(&mut world, ball, RigidBody::dynamic())?;
    /// let ice = Material { friction: 0.05, ..Material::default() };
    /// dynamics.set_material(&world, ball, ice)?;
    /// assert_eq!(dynamics.body(ball).unwrap().material, ice);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn set_material(&mut self, world: &World, target: impl Into<Target>, material: Material) -> Result<(), Error> {
        let target = target.into();
        self.check_there(world, target, "target")?;
        self.put_material(target, material)
    }

    /// Sets the material of something that may be gone.
    pub(in crate::dynamics) fn put_material(&mut self, target: Target, material: Material) -> Result<(), Error> {
        let material = material.checked()?;
        if let Some(at) = self.body_of(target) {
            if std::mem::replace(&mut self.state_mut(at).body.material, material) != material {
                self.wake_body(at);
                self.wake_touching(target);
            }
        } else if self.materials.of_targets.get(&(target, 0)).copied().unwrap_or_default() != material {
            self.materials.of_targets.insert((target, 0), material);
            self.wake_touching(target);
        }
        Ok(())
    }

    /// Sets how those parts of an object behave that have this number as their [surface](World::surface): ice and grass
    /// of one terrain, tyres and frame of one compound. Parts with other surfaces have the object's own material. A
    /// change wakes the bodies that touch the object.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::Negative`]; [`Error::StaleKey`], [`Error::OtherWorld`]. Then nothing has changed.
    ///
    /// ```
    /// # use cullide_world::{Dynamics, DynamicsConfig, Material, Mesh, Object, RigidBody, World};
    /// # use cullide_world::{glam::Vec3, narrowphase::Aabb};
    /// // Two strips along x: the second one is of ice.
    /// let corner = |x: f32, z: f32| Vec3::new(x, 0.0, z);
    /// let corners = [0.0, 5.0, 10.0].map(|z| [corner(0.0, z), corner(40.0, z)]);
    /// let triangles = [[0, 2, 1], [1, 2, 3], [2, 4, 3], [3, 4, 5]];
    /// let strips = Mesh::new(corners.as_flattened(), &triangles)?.with_surfaces(&[0, 0, 9, 9])?;
    /// let (mut world, mut dynamics) = (World::new(), Dynamics::new());
    /// let ground = world.insert(Object::fixed(strips));
    /// let ice = Material { friction: 0.0, ..Material::default() };
    /// dynamics.set_surface_material(&world, ground, 9, ice)?;
    /// let sliding = RigidBody { velocity: Vec3::X * 5.0, ..RigidBody::dynamic() };
    /// let crates = [2.5, 7.5].map(|z| {
    ///     let shape = Aabb::from_center_half_extents(Vec3::new(2.0, 0.502, z), Vec3::splat(0.5)).unwrap();
    ///     let key = world.insert(Object::moving(shape));
    ///     dynamics.insert(&mut world, key, sliding).unwrap();
    ///     key
    /// });
    /// for _ in 0..120 {
    ///     dynamics.step(&mut world, 1.0 / 60.0, &DynamicsConfig::default())?;
    /// }
    /// let [on_rock, on_ice] = crates.map(|key| dynamics.body(key).unwrap().velocity.x);
    /// assert!(on_rock == 0.0 && on_ice > 4.9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_surface_material(
        &mut self,
        world: &World,
        key: ObjectKey,
        surface: u16,
        material: Material,
    ) -> Result<(), Error> {
        self.check_there(world, key.into(), "key")?;
        self.put_surface_material(key, surface, material)
    }

    /// Sets the material of a surface of an object that may be gone.
    pub(in crate::dynamics) fn put_surface_material(
        &mut self,
        key: ObjectKey,
        surface: u16,
        material: Material,
    ) -> Result<(), Error> {
        let material = material.checked()?;
        let had = self.material_of(key.into(), surface);
        self.materials.of_surfaces.insert((key.into(), surface), material);
        if had != material {
            self.wake_touching(key.into());
        }
        Ok(())
    }

    /// Checks that a world is that of the bodies, and that a target is in it.
    pub(in crate::dynamics) fn check_there(
        &self,
        world: &World,
        target: Target,
        field: &'static str,
    ) -> Result<(), Error> {
        self.check_world(world)?;
        if is_there(world, target) { Ok(()) } else { Err(Error::StaleKey { field }) }
    }

    /// Wakes the bodies that have a contact with a target.
    fn wake_touching(&mut self, target: Target) {
        let mut touching = Vec::new();
        for (_, pair) in self.contacts.iter() {
            if pair.second == target || Target::from(pair.first) == target {
                touching.extend_from_slice(&pair.bodies);
            }
        }
        touching.into_iter().filter(|at| *at != NONE).for_each(|at| self.wake_body(at));
    }

    /// The material of a surface of an object, or of a plane.
    pub(in crate::dynamics) fn material_of(&self, target: Target, surface: u16) -> Material {
        if let Target::Object(key) = target {
            if let Some(material) = self.materials.of_surfaces.get(&(target, surface)) {
                return *material;
            }
            if let Some(at) = self.at(key) {
                return self.state(at).body.material;
            }
        }
        self.materials.of_targets.get(&(target, 0)).copied().unwrap_or_default()
    }

    /// The material of a part of an object, or of a plane.
    fn material_of_part(&self, world: &World, target: Target, part: u32) -> Material {
        let surface = if self.materials.of_surfaces.is_empty() { None } else { world.surface(target, part) };
        self.material_of(target, surface.unwrap_or(0))
    }

    /// Whether parts of one of the two have materials of their own.
    pub(in crate::dynamics) fn has_surface_materials(&self, pair: &ContactPair) -> bool {
        let surfaces = &self.materials.of_surfaces;
        let any = |target: Target| self.materials.of_target(target).next().is_some();
        !surfaces.is_empty() && (any(pair.first.into()) || any(pair.second))
    }

    /// The combined material of two parts.
    pub(in crate::dynamics) fn mixed_at(&self, world: &World, pair: &ContactPair, part: &PartContact) -> Material {
        let first = self.material_of_part(world, pair.first.into(), part.first_part);
        mixed(&first, &self.material_of_part(world, pair.second, part.part))
    }

    /// Whether the second of a pair runs as a belt does where the first touches it.
    pub(in crate::dynamics) fn is_on_belt(&self, world: &World, pair: &ContactPair) -> bool {
        let runs = |part: u32| self.material_of_part(world, pair.second, part).surface_velocity != Vec3::ZERO;
        pair.parts.iter().any(|part| runs(part.part))
    }
}

/// Whether the key of an object or a plane is still valid.
pub(in crate::dynamics) fn is_there(world: &World, target: Target) -> bool {
    match target {
        Target::Object(key) => world.object(key).is_some(),
        Target::Plane(key) => world.plane(key).is_some(),
    }
}

/// The combination of two materials; the surface velocity is that of the first relative to the second.
pub(in crate::dynamics) fn mixed(first: &Material, second: &Material) -> Material {
    Material {
        friction: (first.friction * second.friction).sqrt(),
        restitution: first.restitution.max(second.restitution),
        rolling_resistance: first.rolling_resistance.max(second.rolling_resistance),
        surface_velocity: first.surface_velocity - second.surface_velocity,
    }
}
