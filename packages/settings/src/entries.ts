/** A value and where it was written. */
export type Entry = {
  /** In the environment form, `Section__Key`, in the writer's casing. */
  readonly key: string;
  readonly text: string;
  /** For people: `environment variable Storage__Type`. */
  readonly source: string;
};

/** Values by `foldKey(key)`; later sources have replaced earlier ones. */
export type Entries = ReadonlyMap<string, Entry>;
