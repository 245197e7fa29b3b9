//! Runs a program with the evaluator: on one device, where kernels may divide their work among workers, or on several simulated
//! ones, on this thread. A program that takes infeed items also runs so: it fails instead of waiting for an item that nobody sends.

use super::{Execution, MAX_SOURCES};
use crate::array::Literal;
use crate::hlo::eval::kernel::MIN_KERNEL_WORK;
use crate::hlo::eval::meter::Observer;
use crate::hlo::{DeviceError, EvalError, Evaluator, Outcome, SimulatedDevices, Tracer};
use crate::i18n::Message;
use crate::ops::{HostSetup, OpError};
use crate::worker::evaluation::job::LIMITS;
use crate::worker::evaluation::run::failure;
use crate::worker::evaluation::wire::Failure;
use crate::worker::program::arguments::device_arguments;
use crate::worker::program::environment::Environment;

impl Execution {
    /// The number of devices.
    fn devices(&self) -> usize {
        // The run has checked that it fits.
        usize::try_from(self.job.devices).unwrap_or(usize::MAX)
    }

    /// The arguments of each device.
    pub(super) fn arguments(&self) -> Result<Vec<Vec<Literal>>, Failure> {
        device_arguments(&self.job, &self.module, &*self.files, self.language)
    }

    pub(super) fn failure(&self, error: DeviceError) -> Failure {
        let DeviceError { device, error } = error;
        let error = match device.filter(|_| self.devices() > 1) {
            Some(device) => {
                let message = Message::program("program-device-error")
                    .with("device", device)
                    .with("error", error.error.message.clone());
                EvalError { error: Box::new(OpError { message, ..*error.error }), ..error }
            }
            None => error,
        };
        failure(&error, &self.module, self.language)
    }

    /// Runs the program with observers of devices, each with the number of its device. Returns the values of each device if they
    /// are kept.
    pub(super) async fn execute<'o>(
        &'o self,
        arguments: Vec<Vec<Literal>>,
        observers: Vec<(usize, &'o mut dyn Observer)>,
        keeps_values: bool,
        environment: &Environment<'_>,
    ) -> Result<Option<Vec<Outcome>>, Failure> {
        let kernels = environment.kernels.clone();
        let outcomes = if self.devices() == 1 && !self.waits_for_host() {
            let mut evaluator = Evaluator::new(&self.module).seed(self.job.seed.into()).limits(LIMITS);
            for (_, observer) in observers {
                evaluator = evaluator.observer(observer);
            }
            if let Some(kernels) = kernels {
                evaluator = evaluator.kernels(kernels, MIN_KERNEL_WORK);
            }
            let arguments = arguments.into_iter().flatten().collect::<Vec<_>>();
            let outcome = if keeps_values {
                evaluator.run_with_values_owned_async(arguments).await.map(|outcome| Some(vec![outcome]))
            } else {
                evaluator.run_async(&arguments).await.map(|_| None)
            };
            outcome.map_err(|error| DeviceError { device: None, error })
        } else {
            let mut devices = self.simulated_devices();
            for (device, observer) in observers {
                devices = devices.observer(device, observer);
            }
            if let Some(kernels) = kernels {
                devices = devices.kernels(kernels, MIN_KERNEL_WORK);
            }
            // These kernels never wait: a run that does would wait forever, which is an error.
            if keeps_values {
                devices.run_with_values(&arguments).map(Some)
            } else {
                devices.run(&arguments).map(|_| None)
            }
        };
        outcomes.map_err(|error| self.failure(error))
    }

    /// Whether the program takes items from the infeed, which has none here.
    fn waits_for_host(&self) -> bool {
        let mut instructions =
            self.module.computations.iter().flat_map(|computation| &computation.instructions);
        instructions.any(|i| {
            matches!(i.op.map(|op| op.host_setup(&i.attrs, &i.shape)), Some(HostSetup::InfeedItem(_)))
        })
    }

    /// Runs the program with an observer of a device, which may end the run.
    pub(super) async fn observe(
        &self,
        device: usize,
        observer: &mut dyn Observer,
        environment: &Environment<'_>,
    ) -> Result<(), Failure> {
        let arguments = self.arguments()?;
        match self.execute(arguments, vec![(device, observer)], false, environment).await {
            Err(failure) if failure.rule != "cancelled" => Err(failure),
            _ => Ok(()),
        }
    }

    /// The devices without observers.
    pub(super) fn simulated_devices(&self) -> SimulatedDevices<'_> {
        SimulatedDevices::new(&self.module, self.devices()).seed(self.job.seed.into()).limits(LIMITS)
    }

    /// A tracer of the values of a device.
    pub(super) fn tracer<'t>(
        devices: &'t SimulatedDevices<'_>,
        device: usize,
        outcome: &'t Outcome,
    ) -> Option<Tracer<'t>> {
        Some(devices.tracer_on(device, outcome)?.max_cells(MAX_SOURCES))
    }
}
