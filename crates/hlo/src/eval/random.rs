//! The random number generators of a run, shared by evaluator and plans.

use xla_ops::RandomPosition;

/// The low word of the state with which XLA's CPU backend starts `rng-get-and-update-state`.
const XLA_CPU_INITIAL_RNG_STATE: u128 = 0x0701_2395;

/// The random number generators of a run: their seed, and their position.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomNumbers {
    /// The seed of the run.
    pub seed: u64,
    /// The current position.
    pub position: RandomPosition,
}

impl RandomNumbers {
    /// The generators of a run with this seed, at their start.
    pub fn new(seed: u64) -> Self {
        Self { seed, position: RandomPosition::default() }
    }

    /// Implements [`xla_ops::Run::draw`].
    pub fn draw(&mut self) -> (u64, u64) {
        let number = self.position.rng_count;
        self.position.rng_count = number.wrapping_add(1);
        (self.seed, number)
    }

    /// Implements [`xla_ops::Run::advance`].
    pub fn advance(&mut self, delta: u64) -> u128 {
        let advanced = self.position.state_advance;
        self.position.state_advance = advanced.wrapping_add(delta.into());
        (u128::from(self.seed) << 64 | XLA_CPU_INITIAL_RNG_STATE).wrapping_add(advanced)
    }
}
