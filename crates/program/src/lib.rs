//! The benchmark module: a WebAssembly module that runs one HLO program in benchmark pages, with its plan, weights and kernels in
//! one memory. `cargo xtask bench-module` builds it. Nothing else uses this crate.

#[cfg(target_arch = "wasm32")]
mod exports {
    use std::rc::Rc;

    use wasm_bindgen::JsValue;
    use wasm_bindgen::prelude::wasm_bindgen;
    use xla_array::literal::NativeElement;
    use xla_array::{ArrayLiteral, Literal, Shape};
    use xla_hlo::{Limits, parse};
    use xla_plan::{Options, Plan, RunError, Runner};

    /// A compiled program. The last parameter is its input, the others are weights.
    #[wasm_bindgen]
    pub struct Program {
        runner: Runner,
        parameters: Vec<Shape>,
        weights: Vec<Literal>,
    }

    /// A JavaScript `Error` with this message.
    fn error(message: impl ToString) -> JsValue {
        js_sys::Error::new(&message.to_string()).into()
    }

    #[wasm_bindgen]
    impl Program {
        /// Compiles HLO text.
        ///
        /// # Errors
        ///
        /// The text is invalid, or the module cannot be compiled to a plan.
        #[wasm_bindgen(constructor)]
        pub fn new(text: &str) -> Result<Self, JsValue> {
            let module = parse(text).into_module().map_err(error)?;
            let parameters = module.interface().map(|interface| interface.parameters).unwrap_or_default();
            let constant_parameters = parameters.len().saturating_sub(1);
            let options = Options { constant_parameters, ..Options::default() };
            let plan =
                Plan::compile(&module, options).map_err(|unsupported| error(format!("{unsupported:?}")))?;
            Ok(Self { runner: Runner::new(Rc::new(plan)), parameters, weights: Vec::new() })
        }

        /// Adds the next weight, `f32` in row-major order.
        ///
        /// # Errors
        ///
        /// The element count does not match the parameter.
        #[wasm_bindgen(js_name = addFloats)]
        pub fn add_floats(&mut self, elements: &[f32]) -> Result<(), JsValue> {
            let weight = self.argument(self.weights.len(), elements)?;
            self.weights.push(weight);
            Ok(())
        }

        /// Adds the next weight, `s32` in row-major order.
        ///
        /// # Errors
        ///
        /// Those of [`Self::add_floats`].
        #[wasm_bindgen(js_name = addIntegers)]
        pub fn add_integers(&mut self, elements: &[i32]) -> Result<(), JsValue> {
            let weight = self.argument(self.weights.len(), elements)?;
            self.weights.push(weight);
            Ok(())
        }

        /// Runs the program on an input of `f32` in row-major order; the result is `f32` in row-major order, too.
        ///
        /// # Errors
        ///
        /// Those of [`Self::add_floats`]; the result is not `f32`; and the errors of the run.
        #[wasm_bindgen(js_name = runFloats)]
        pub fn run_floats(&mut self, elements: &[f32]) -> Result<Vec<f32>, JsValue> {
            let input = self.argument(self.parameters.len().saturating_sub(1), elements)?;
            self.result(&input)
        }

        /// Runs the program on an input of `s32` in row-major order; the result is `f32` in row-major order.
        ///
        /// # Errors
        ///
        /// Those of [`Self::run_floats`].
        #[wasm_bindgen(js_name = runIntegers)]
        pub fn run_integers(&mut self, elements: &[i32]) -> Result<Vec<f32>, JsValue> {
            let input = self.argument(self.parameters.len().saturating_sub(1), elements)?;
            self.result(&input)
        }

        fn argument<T: NativeElement>(&self, index: usize, elements: &[T]) -> Result<Literal, JsValue> {
            let shape = self.parameters.get(index).and_then(Shape::as_array);
            let dimensions = shape.ok_or_else(|| error("no such parameter"))?.dimensions.iter().copied();
            ArrayLiteral::from_slice(dimensions, elements)
                .map(Literal::from)
                .map_err(|e| error(format!("{e:?}")))
        }

        fn result(&mut self, input: &Literal) -> Result<Vec<f32>, JsValue> {
            let arguments: Vec<&Literal> = self.weights.iter().chain([input]).collect();
            let limits = Limits { steps: u64::MAX, bytes: u64::MAX };
            let result = self.runner.run(&arguments, limits, None).map_err(|failure| match failure {
                RunError::Failed(failure) => error(failure),
                RunError::Refused => error("the arguments do not match the parameters"),
            })?;
            let array = result.as_array().ok_or_else(|| error("the result is not an array"))?;
            let elements = array.to_row_major::<f32>().map_err(|e| error(format!("{e:?}")))?;
            elements.ok_or_else(|| error("the result is not f32"))
        }
    }
}
