//! Colliders from meshes, picking and gizmos, each with its feature.

mod support;

use bevy_cullide::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::{Dir3, Vec3};
use support::*;

#[cfg(feature = "mesh")]
mod mesh {
    use super::*;
    use bevy_app::App;
    use bevy_asset::{Assets, Handle};
    use bevy_mesh::{CuboidMeshBuilder, Mesh, Mesh3d, MeshBuilder, PrimitiveTopology};
    use bevy_transform::components::Transform;

    fn with_mesh(mesh: Mesh) -> (App, Handle<Mesh>) {
        let mut app = app();
        let mut meshes = Assets::<Mesh>::default();
        let handle = meshes.add(mesh);
        app.insert_resource(meshes);
        (app, handle)
    }

    fn down(app: &mut App, x: f32) -> Option<(Entity, f32)> {
        let hit = ask(app, |query| query.cast_ray(Vec3::new(x, 9.0, 0.1), Dir3::NEG_Y, 100.0, true, &all()));
        hit.map(|hit| (hit.entity, hit.distance))
    }

    #[test]
    fn a_mesh_becomes_a_collider_of_each_kind() {
        let (mut app, handle) = with_mesh(CuboidMeshBuilder::default().build());
        let kinds = [
            ColliderConstructor::TrimeshFromMesh,
            ColliderConstructor::ConvexHullFromMesh,
            ColliderConstructor::CuboidFromMesh,
        ];
        for (number, kind) in kinds.into_iter().enumerate() {
            let x = 10.0 * number as f32;
            let entity = app.world_mut().spawn((kind, Mesh3d(handle.clone()), at(x, 0.0, 0.0))).id();
            ticks(&mut app, 1);
            assert_eq!(down(&mut app, x + 0.2), Some((entity, 8.5)));
            assert!(app.world().get::<ColliderConstructor>(entity).is_none());
        }
        // One that comes later.
        let later = Handle::<Mesh>::default();
        let entity = app.world_mut().spawn((kinds[0], Mesh3d(later.clone()), at(-9.0, 0.0, 0.0))).id();
        ticks(&mut app, 2);
        assert_eq!(down(&mut app, -8.8), None);
        let mut meshes = app.world_mut().resource_mut::<Assets<Mesh>>();
        meshes.insert(&later, CuboidMeshBuilder::default().build()).unwrap();
        ticks(&mut app, 1);
        assert_eq!(down(&mut app, -8.8), Some((entity, 8.5)));
    }

    #[test]
    fn strips_and_meshes_without_indices_have_the_same_triangles() {
        let corners = vec![[0.0f32, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 1.0]];
        let mesh = |topology, corners: Vec<[f32; 3]>| {
            Mesh::new(topology, Default::default()).with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, corners)
        };
        let strip = mesh(PrimitiveTopology::TriangleStrip, corners.clone());
        let list = mesh(PrimitiveTopology::TriangleList, [0, 1, 2, 2, 1, 3].map(|corner| corners[corner]).to_vec());
        let lines = mesh(PrimitiveTopology::LineList, corners);
        let normals = |mesh: &Mesh| {
            let collider = ColliderConstructor::TrimeshFromMesh.collider(mesh);
            let Some(bevy_cullide::cullide::Shape::Mesh(placed)) = collider.shape().cloned() else { panic!("a mesh") };
            [0, 1].map(|number| placed.triangle(number).unwrap().normal())
        };
        assert_eq!(normals(&strip), normals(&list));
        assert!(ColliderConstructor::TrimeshFromMesh.collider(&lines).error().is_some());
    }

    #[test]
    fn a_scene_gets_colliders_by_name() {
        let (mut app, handle) = with_mesh(CuboidMeshBuilder::default().build());
        let colliders = ColliderConstructorHierarchy::new(ColliderConstructor::TrimeshFromMesh)
            .with_constructor_for_name("Barrel", ColliderConstructor::ConvexHullFromMesh)
            .without_constructor_for_name("Grass");
        let scene = app.world_mut().spawn((colliders, at(0.0, 0.0, 0.0))).id();
        let node = |app: &mut App, name: &'static str, x| {
            let node = app.world_mut().spawn((Name::new(name), at(x, 0.0, 0.0), ChildOf(scene))).id();
            app.world_mut().spawn((Mesh3d(handle.clone()), Transform::default(), ChildOf(node))).id()
        };
        let (wall, barrel) = (node(&mut app, "Wall", 0.0), node(&mut app, "Barrel", 10.0));
        node(&mut app, "Grass", 20.0);
        ticks(&mut app, 1);
        // Part of the scene comes later.
        let second = node(&mut app, "Wall", 30.0);
        ticks(&mut app, 1);
        assert_eq!(down(&mut app, 0.2), Some((wall, 8.5)));
        assert_eq!(down(&mut app, 10.2), Some((barrel, 8.5)));
        assert_eq!((down(&mut app, 20.2), down(&mut app, 30.2)), (None, Some((second, 8.5))));
        let is_mesh = |entity| {
            let shape = app.world().get::<Collider>(entity).unwrap().shape().cloned();
            matches!(shape, Some(bevy_cullide::cullide::Shape::Mesh(_)))
        };
        assert!(is_mesh(wall) && !is_mesh(barrel));
    }
}

#[cfg(feature = "picking")]
#[test]
fn a_pointer_picks_part_surface_and_normal() {
    use bevy_camera::Camera;
    use bevy_cullide::cullide::{Mesh, Shape};
    use bevy_ecs::message::Messages;
    use bevy_picking::{
        Pickable,
        backend::{
            PointerHits,
            ray::{RayId, RayMap},
        },
        pointer::PointerId,
    };
    let mut app = app();
    app.add_plugins(PhysicsPickingPlugin).add_message::<PointerHits>().init_resource::<RayMap>();
    let camera = app.world_mut().spawn(Camera { order: 3, ..Camera::default() }).id();
    let corners = [Vec3::ZERO, Vec3::Z * 4.0, Vec3::X * 4.0, Vec3::new(4.0, 0.0, 4.0)];
    let ground = Mesh::new(&corners, &[[0, 1, 2], [2, 1, 3]]).unwrap().with_surfaces(&[7, 8]).unwrap();
    let ground = app.world_mut().spawn(Collider::from(Shape::from(ground))).id();
    let glass = app.world_mut().spawn((Collider::cuboid(9.0, 0.1, 9.0), at(0.0, 2.0, 0.0))).id();
    app.world_mut().entity_mut(glass).insert(Pickable { should_block_lower: false, is_hoverable: true });
    let hidden = app.world_mut().spawn((Collider::cuboid(9.0, 0.1, 9.0), at(0.0, 3.0, 0.0), Pickable::IGNORE)).id();
    let ray = bevy_shape::Ray3d::new(Vec3::new(3.0, 9.0, 3.0), Dir3::NEG_Y);
    app.world_mut().resource_mut::<RayMap>().map.insert(RayId::new(camera, PointerId::Mouse), ray);
    ticks(&mut app, 1);
    app.world_mut().resource_mut::<Messages<PointerHits>>().clear();
    ticks(&mut app, 1);
    let hits: Vec<PointerHits> = app.world_mut().resource_mut::<Messages<PointerHits>>().drain().collect();
    assert_eq!((hits.len(), hits[0].order, hits[0].pointer), (1, 3.0, PointerId::Mouse));
    let picks = &hits[0].picks;
    assert_eq!(picks.iter().map(|pick| pick.0).collect::<Vec<_>>(), [glass, ground]);
    assert!(!picks.iter().any(|pick| pick.0 == hidden));
    let hit = &picks[1].1;
    assert_eq!((hit.depth, hit.position, hit.normal), (9.0, Some(Vec3::new(3.0, 0.0, 3.0)), Some(Vec3::Y)));
    assert_eq!(hit.extra_as::<PickedPart>(), Some(&PickedPart { part: 1, surface: 8 }));
}

#[cfg(feature = "gizmos")]
#[test]
fn gizmos_are_the_edges_of_colliders() {
    use bevy_asset::{AssetPlugin, Assets};
    use bevy_gizmos::{GizmoAsset, GizmoPlugin};
    let mut app = app();
    app.add_plugins((AssetPlugin::default(), GizmoPlugin, PhysicsDebugPlugin));
    app.world_mut().spawn((Collider::cuboid(2.0, 2.0, 2.0), at(5.0, 0.0, 0.0)));
    let points = |app: &mut bevy_app::App| -> Vec<Vec3> {
        ticks(app, 2);
        let assets = app.world().resource::<Assets<GizmoAsset>>();
        assets.iter().flat_map(|(_, asset)| asset.buffer().buffer().list_positions.clone()).collect()
    };
    let found = points(&mut app);
    assert_eq!(found.len(), 24);
    assert!(found.iter().all(|point| (*point - Vec3::X * 5.0).abs() == Vec3::ONE));
    // A ray as far as the box, and the normal there.
    app.world_mut().spawn((RayCaster::new(Vec3::ZERO, Dir3::NEG_Y).with_max_hits(1), at(5.0, 9.0, 0.0)));
    let [top, hit] = [9.0, 1.0].map(|y| Vec3::new(5.0, y, 0.0));
    assert_eq!(points(&mut app)[24..], [top, hit, hit, hit + Vec3::Y * 0.25]);
    app.world_mut().resource_mut::<PhysicsGizmos>().enabled = false;
    assert!(points(&mut app).is_empty());
}
