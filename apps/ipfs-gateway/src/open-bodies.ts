/** Bodies beyond which their blocks are shared. Fewer hold little memory. */
const unsharedMax = 16;

/** Counts the bodies that are sent now. */
export class OpenBodies {
  #count = 0;

  /** Reports whether so many bodies are sent that they should hold each block once. */
  get areMany(): boolean {
    return this.#count > unsharedMax;
  }

  /** Counts a body until `send` has ended. */
  async during(send: () => Promise<void>): Promise<void> {
    this.#count++;
    try {
      await send();
    } finally {
      this.#count--;
    }
  }
}
