//! Moves the vertices of a mesh whose triangles stay the same.

use super::{Mesh, MeshData, MeshError, bounds};
use cullide_narrowphase::glam::Vec3;
use std::sync::{Arc, OnceLock};

impl Mesh {
    /// Moves the vertices, for example of a mesh that deforms: it then answers as a new mesh of these vertices would,
    /// for less than it costs to build one. The order of the triangles in memory and the structure of the tree stay the
    /// same; if triangles that were close end up far apart, a new mesh is faster. Everything is rebuilt only if a
    /// triangle loses its area or gains one.
    ///
    /// Clones are not changed: while there is one, such as in a world, the shared data is copied first. Give the object
    /// the new shape with [`ObjectMut::set_shape`](crate::ObjectMut::set_shape).
    ///
    /// # Errors
    /// [`MeshError::VertexCount`], and [`MeshError::BadVertex`] for the first vertex that is wrong; then the mesh is
    /// not changed.
    ///
    /// ```
    /// # use cullide_world::{Mesh, glam::Vec3};
    /// let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
    /// let mut flag = Mesh::new(&corners, &[[0, 1, 2]])?;
    /// flag.refit(&corners.map(|corner| corner + Vec3::Z))?;
    /// assert_eq!(flag.triangle(0).unwrap().points()[1], Vec3::new(1.0, 0.0, 1.0));
    /// # Ok::<(), cullide_world::MeshError>(())
    /// ```
    pub fn refit(&mut self, vertices: &[Vec3]) -> Result<(), MeshError> {
        let expected = self.vertices().len();
        if vertices.len() != expected {
            return Err(MeshError::VertexCount { vertices: vertices.len(), expected });
        }
        super::check(vertices)?;
        let data = Arc::make_mut(&mut self.0);
        data.vertices.clear();
        data.vertices.extend(vertices.iter().map(|vertex| vertex + Vec3::ZERO));
        data.hash = OnceLock::new();
        if !data.refit() {
            let triangles: Vec<[u32; 3]> = self.all_corners().collect();
            let data = Arc::make_mut(&mut self.0);
            let (vertices, surfaces) = (std::mem::take(&mut data.vertices), std::mem::take(&mut data.surfaces));
            *data = MeshData { surfaces, sides: data.sides, ..MeshData::new(vertices, &triangles) };
        }
        Ok(())
    }
}

impl MeshData {
    /// Moves the triangles of the tree; returns `false` without doing so if other triangles have an area now.
    fn refit(&mut self) -> bool {
        let Self { vertices, tree, degenerate, .. } = self;
        let has_area = |corners: [u32; 3]| super::has_area(vertices, corners);
        let numbers = tree.groups().leaves().flat_map(|leaf| tree.numbers(leaf));
        let is_same = numbers.filter_map(|&number| tree.vertices(number)).all(has_area)
            && !degenerate.iter().any(|(_, corners)| has_area(*corners));
        if is_same {
            tree.refit(vertices);
            let first = degenerate.first().map_or(0, |(_, corners)| corners[0]);
            self.aabb = bounds(tree, vertices[first as usize]);
        }
        is_same
    }
}
