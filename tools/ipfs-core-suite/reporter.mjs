import Mocha from 'mocha';

/** Reports as `spec` does, and prints the error of a test before its second attempt, as jest does. */
class RetryReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.on(Mocha.Runner.constants.EVENT_TEST_RETRY, (test, error) =>
      console.log(`LOGGING RETRY ERRORS ${test.fullTitle()}\n${error.stack}`),
    );
  }
}

// Mocha loads a reporter with `require`.
export { RetryReporter as 'module.exports' };
