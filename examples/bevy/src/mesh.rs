//! Colliders from meshes.

use crate::{Collider, ColliderError, PhysicsSystems, collider::Logged};
use bevy_app::{App, FixedPostUpdate, Plugin};
use bevy_asset::{AssetServer, Assets};
use bevy_ecs::{name::NameOrEntity, prelude::*};
use bevy_math::Vec3;
use bevy_mesh::{Mesh, Mesh3d, PrimitiveTopology};
use std::collections::BTreeMap;

/// Makes the entity's [`Mesh3d`] its [`Collider`] as soon as the mesh is loaded; then this component is removed.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColliderConstructor {
    /// All its triangles; for what does not move as a dynamic body. Hits tell the triangle's number in the mesh.
    #[default]
    TrimeshFromMesh,
    /// The convex hull of its vertices.
    ConvexHullFromMesh,
    /// The box around its vertices, along the axes of the entity.
    CuboidFromMesh,
}

impl ColliderConstructor {
    /// Constructs a collider from a mesh of a list or a strip of triangles.
    ///
    /// ```
    /// use bevy_cullide::ColliderConstructor;
    /// use bevy_mesh::{CuboidMeshBuilder, MeshBuilder};
    /// let mesh = CuboidMeshBuilder::default().build();
    /// assert!(ColliderConstructor::TrimeshFromMesh.collider(&mesh).error().is_none());
    /// ```
    pub fn collider(&self, mesh: &Mesh) -> Collider {
        let Some((vertices, triangles)) = geometry(mesh) else { return Collider::failed(ColliderError::NoMesh) };
        match self {
            Self::TrimeshFromMesh => Collider::trimesh(vertices, triangles),
            Self::ConvexHullFromMesh => Collider::hull(&vertices),
            Self::CuboidFromMesh => Collider::around(vertices),
        }
    }
}

impl Collider {
    /// Triangles of a mesh; `None` if it has none.
    ///
    /// ```
    /// use bevy_cullide::Collider;
    /// use bevy_mesh::{CuboidMeshBuilder, MeshBuilder};
    /// let mesh = CuboidMeshBuilder::default().build();
    /// assert!(Collider::trimesh_from_mesh(&mesh).is_some() && Collider::convex_hull_from_mesh(&mesh).is_some());
    /// ```
    pub fn trimesh_from_mesh(mesh: &Mesh) -> Option<Self> {
        Some(ColliderConstructor::TrimeshFromMesh.collider(mesh)).filter(|collider| collider.error().is_none())
    }

    /// The convex hull of the vertices of a mesh; `None` if they have none with a volume.
    pub fn convex_hull_from_mesh(mesh: &Mesh) -> Option<Self> {
        Some(ColliderConstructor::ConvexHullFromMesh.collider(mesh)).filter(|collider| collider.error().is_none())
    }
}

/// Vertices, and triangles between them.
fn geometry(mesh: &Mesh) -> Option<(Vec<Vec3>, Vec<[u32; 3]>)> {
    // A mesh that lives on the graphics card alone has no attributes any more.
    let positions = mesh.try_attribute(Mesh::ATTRIBUTE_POSITION).ok()?.as_float3()?;
    let indices: Vec<u32> = match mesh.try_indices_option().ok()? {
        Some(indices) => indices.iter().map(|index| index as u32).collect(),
        None => (0..positions.len() as u32).collect(),
    };
    let triangles: Vec<[u32; 3]> = match mesh.primitive_topology() {
        PrimitiveTopology::TriangleList => indices.as_chunks().0.to_vec(),
        // Every other one is wound the other way round.
        PrimitiveTopology::TriangleStrip => {
            let turn = |(number, corners): (usize, &[u32])| match number % 2 {
                0 => [corners[0], corners[1], corners[2]],
                _ => [corners[1], corners[0], corners[2]],
            };
            indices.windows(3).enumerate().map(turn).collect()
        }
        _ => return None,
    };
    (!triangles.is_empty()).then(|| (positions.iter().map(|p| Vec3::from(*p)).collect(), triangles))
}

/// Gives a constructor to each [`Mesh3d`] below an entity, such as those of a scene, as they come.
///
/// Names are those of the entities of the meshes, or of their parents: in a glTF scene, the name of a node is that of the
/// parent of its meshes.
///
/// ```
/// use bevy_cullide::{ColliderConstructor, ColliderConstructorHierarchy};
/// let level = ColliderConstructorHierarchy::new(ColliderConstructor::TrimeshFromMesh)
///     .with_constructor_for_name("Barrel", ColliderConstructor::ConvexHullFromMesh)
///     .without_constructor_for_name("Grass");
/// assert_eq!(level.constructor_of("Barrel"), Some(ColliderConstructor::ConvexHullFromMesh));
/// assert_eq!(level.constructor_of("Grass"), None);
/// ```
#[derive(Component, Clone, Debug, Default, PartialEq)]
pub struct ColliderConstructorHierarchy {
    preset: Option<ColliderConstructor>,
    by_name: BTreeMap<String, Option<ColliderConstructor>>,
}

impl ColliderConstructorHierarchy {
    /// The constructor of all meshes that are not named otherwise; with `None`, these get none.
    pub fn new(preset: impl Into<Option<ColliderConstructor>>) -> Self {
        Self { preset: preset.into(), by_name: BTreeMap::new() }
    }

    /// Sets the constructor of meshes with this name.
    #[must_use]
    pub fn with_constructor_for_name(mut self, name: &str, constructor: ColliderConstructor) -> Self {
        self.by_name.insert(name.to_owned(), Some(constructor));
        self
    }

    /// Gives no collider to meshes with this name.
    #[must_use]
    pub fn without_constructor_for_name(mut self, name: &str) -> Self {
        self.by_name.insert(name.to_owned(), None);
        self
    }

    /// Returns the constructor of meshes with this name.
    pub fn constructor_of(&self, name: &str) -> Option<ColliderConstructor> {
        self.by_name.get(name).copied().unwrap_or(self.preset)
    }
}

/// Makes meshes colliders.
#[derive(Clone, Copy, Debug, Default)]
pub struct ColliderConstructorPlugin;

impl Plugin for ColliderConstructorPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(FixedPostUpdate, (name_constructors, construct).chain().before(PhysicsSystems::Prepare));
    }
}

type Bare = (Without<Collider>, Without<ColliderConstructor>);

/// Gives constructors to meshes below a [`ColliderConstructorHierarchy`] that came, or below one that came.
fn name_constructors(
    mut commands: Commands,
    came: Query<Entity, Or<(Added<Mesh3d>, Added<ColliderConstructorHierarchy>)>>,
    hierarchies: Query<&ColliderConstructorHierarchy>,
    bare: Query<(), (With<Mesh3d>, Bare)>,
    (parents, children, names): (Query<&ChildOf>, Query<&Children>, Query<&Name>),
) {
    for came in &came {
        let below = children.iter_descendants(came).filter(|_| hierarchies.contains(came));
        for entity in std::iter::once(came).chain(below).filter(|entity| bare.contains(*entity)) {
            let mut above = parents.iter_ancestors(entity);
            let Some(hierarchy) = above.find_map(|parent| hierarchies.get(parent).ok()) else { continue };
            let parent = parents.get(entity).ok().map(|parent| parent.parent());
            let mut known = std::iter::once(entity).chain(parent).filter_map(|entity| names.get(entity).ok());
            let name = known.find(|name| hierarchy.by_name.contains_key(name.as_str()));
            if let Some(constructor) = hierarchy.constructor_of(name.map_or("", |name| name.as_str())) {
                commands.entity(entity).insert(constructor);
            }
        }
    }
}

fn construct(
    mut commands: Commands,
    waiting: Query<(NameOrEntity, &ColliderConstructor, Option<&Mesh3d>)>,
    meshes: Option<Res<Assets<Mesh>>>,
    server: Option<Res<AssetServer>>,
    mut logged: ResMut<Logged>,
) {
    for (name, constructor, handle) in &waiting {
        let mesh = handle.and_then(|handle| meshes.as_ref()?.get(&handle.0));
        if let Some(mesh) = mesh {
            commands.entity(name.entity).insert(constructor.collider(mesh)).remove::<ColliderConstructor>();
            continue;
        }
        let has_failed = |handle: &Mesh3d| server.as_ref()?.get_load_state(&handle.0).map(|state| state.is_failed());
        if handle.is_none_or(|handle| has_failed(handle) == Some(true)) {
            logged.log(name.entity, &name, ColliderError::NoMesh);
        }
    }
}
