import type { Kind } from "./kinds.ts";

/** Definition of a setting. Its key has the environment form: `Section__Key`. */
export type Setting = {
  readonly kind: Kind;
  /** Whether a value is required; `unless`: only if that other key has no value either. */
  readonly required?: true | { readonly unless: string };
  /** Text of the default value. */
  readonly fallback?: string;
  /** Description of the default where it is not a fixed text. */
  readonly otherwise?: string;
  /** The value is never printed, logged or shown. */
  readonly secret?: true;
  /** Further names of the key. */
  readonly aliases?: readonly string[];
  /** One sentence for the reference page. */
  readonly about: string;
};

/** Settings by key. A `*` in a key represents one name: the table documents such keys, and
 * code reads them by the key with the name. */
export type SettingsTable = Readonly<Record<string, Setting>>;
