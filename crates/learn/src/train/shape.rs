//! The layout of the weights of a network in training, in one list.
//!
//! Hidden units are cut into tiles of [`TILE`], and everything is stored tile by tile: while one tile of one layer is processed,
//! nothing else needs to be in the fast caches.

use quarterply_engine::network::INPUTS;
use std::ops::Range;

/// Hidden units that are processed together: one register of the widest kind.
pub const TILE: usize = 16;
/// Perspectives: of the side to move, of the other side.
pub const SIDES: usize = 2;

/// Numbers of a tile.
pub type Lanes = [f32; TILE];

/// The size of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Hidden units of each perspective.
    pub hidden: usize,
    /// Output layers, chosen by the number of pieces.
    pub buckets: usize,
}

/// One layer in the list of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// From inputs to hidden units: by tile, then by input.
    Features,
    /// Biases of hidden units, by tile.
    Biases,
    /// From hidden units to outputs: by bucket, then tile, then side.
    Outputs,
    /// Biases of the outputs, by bucket.
    OutputBiases,
}

impl Layer {
    /// All layers in the order of the list.
    pub const ALL: [Layer; 4] = [Layer::Features, Layer::Biases, Layer::Outputs, Layer::OutputBiases];
}

impl Shape {
    /// Number of tiles of the hidden units.
    pub fn tiles(self) -> usize {
        self.hidden / TILE
    }

    /// Number of all weights.
    pub fn weights(self) -> usize {
        self.range(Layer::OutputBiases).end
    }

    /// The range of a layer.
    pub fn range(self, layer: Layer) -> Range<usize> {
        let features = INPUTS * self.hidden;
        let biases = features + self.hidden;
        let outputs = biases + self.buckets * SIDES * self.hidden;
        match layer {
            Layer::Features => 0..features,
            Layer::Biases => features..biases,
            Layer::Outputs => biases..outputs,
            Layer::OutputBiases => outputs..outputs + self.buckets,
        }
    }

    /// The index of the weight from an input to a hidden unit.
    pub fn feature(self, input: usize, unit: usize) -> usize {
        (unit / TILE * INPUTS + input) * TILE + unit % TILE
    }

    /// The index of the bias of a hidden unit.
    pub fn bias(self, unit: usize) -> usize {
        self.range(Layer::Biases).start + unit
    }

    /// The index of the weight from a hidden unit of a side (0: to move) to an output.
    pub fn output(self, bucket: usize, side: usize, unit: usize) -> usize {
        let tile = (bucket * self.tiles() + unit / TILE) * SIDES + side;
        self.range(Layer::Outputs).start + tile * TILE + unit % TILE
    }

    /// The index of the bias of an output.
    pub fn output_bias(self, bucket: usize) -> usize {
        self.range(Layer::OutputBiases).start + bucket
    }
}

/// The layers of a list of weights, in tiles.
#[derive(Clone, Copy)]
pub struct Weights<'a> {
    /// By tile, then input.
    pub features: &'a [Lanes],
    /// By tile.
    pub biases: &'a [Lanes],
    /// By bucket, tile, side.
    pub outputs: &'a [Lanes],
    /// By bucket.
    pub output_biases: &'a [f32],
}

/// The same to be written.
pub struct WeightsMut<'a> {
    /// By tile, then input.
    pub features: &'a mut [Lanes],
    /// By tile.
    pub biases: &'a mut [Lanes],
    /// By bucket, tile, side.
    pub outputs: &'a mut [Lanes],
    /// By bucket.
    pub output_biases: &'a mut [f32],
}

impl Shape {
    /// A list of weights by its layers.
    pub fn split(self, list: &[f32]) -> Weights<'_> {
        let tiles = |layer| list[self.range(layer)].as_chunks().0;
        Weights {
            features: tiles(Layer::Features),
            biases: tiles(Layer::Biases),
            outputs: tiles(Layer::Outputs),
            output_biases: &list[self.range(Layer::OutputBiases)],
        }
    }

    /// The same to be written.
    pub fn split_mut(self, list: &mut [f32]) -> WeightsMut<'_> {
        let (features, rest) = list.split_at_mut(self.range(Layer::Features).end);
        let (biases, rest) = rest.split_at_mut(self.range(Layer::Biases).len());
        let (outputs, output_biases) = rest.split_at_mut(self.range(Layer::Outputs).len());
        WeightsMut {
            features: features.as_chunks_mut().0,
            biases: biases.as_chunks_mut().0,
            outputs: outputs.as_chunks_mut().0,
            output_biases,
        }
    }
}
