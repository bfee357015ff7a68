import type { Kind } from "./kinds.ts";

/** One setting. `key` is its name in the environment form: `Section__Key`. */
export type Setting = {
  readonly kind: Kind;
  /** Of what an extension brings: without a value the host does not start; or only where another
   * key has none either. */
  readonly required?: true | { readonly unless: string };
  /** Text of the default, read like any other value. */
  readonly fallback?: string;
  /** What happens without a value, where no fixed text says it. */
  readonly otherwise?: string;
  /** Never printed, logged or shown. */
  readonly secret?: true;
  readonly aliases?: readonly string[];
  /** One sentence. */
  readonly about: string;
};
