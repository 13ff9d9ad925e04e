/**
 * Builds changed packages and restarts what runs them. Changes during a build lead to one more build. A build that fails restarts
 * nothing, and its packages are built again with the next change.
 */
export class Rebuild {
  #changed = new Set();
  /** Changed packages without a successful build since. */
  #unbuilt = new Set();
  #isBuilding = false;
  #timer;
  #options;

  /**
   * @param options.build resolves with whether the packages were built
   * @param options.restart is called with the packages that were built
   * @param options.report prints a line
   * @param options.quietMs pause after the last change: editors and git write several files at a time
   */
  constructor({ build, restart, report, quietMs = 100 }) {
    this.#options = { build, restart, report, quietMs };
  }

  /** Records that a source file of a package has changed. */
  changed(name) {
    this.#changed.add(name);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#run(), this.#options.quietMs);
  }

  /** Drops what waits for a build. */
  stop() {
    clearTimeout(this.#timer);
    this.#changed.clear();
  }

  async #run() {
    if (this.#isBuilding) return;
    this.#isBuilding = true;
    const { build, restart, report } = this.#options;
    while (this.#changed.size > 0) {
      for (const name of this.#changed) this.#unbuilt.add(name);
      this.#changed.clear();
      const names = [...this.#unbuilt].sort();
      report(`Building ${names.join(', ')} …`);
      const isBuilt = await build(names);
      // A later change makes this result obsolete.
      if (this.#changed.size > 0) continue;
      if (!isBuilt) {
        report('The build failed. The services keep running the last build that succeeded; fix the error and save.');
        break;
      }
      this.#unbuilt.clear();
      restart(names);
    }
    this.#isBuilding = false;
  }
}
