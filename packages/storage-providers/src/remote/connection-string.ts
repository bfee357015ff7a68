import { StorageSettingError } from "../storage-type.ts";
import type { StorageContext } from "../storage-type.ts";

const TEXT = "Storage__ConnectionString";
const NAME = "Storage__ConnectionStringName";

/** A connection string with the key of the setting that has it. */
export type ConnectionString = { readonly key: string; readonly text: string };

/**
 * Reads `Storage__ConnectionString`, or the setting that `Storage__ConnectionStringName` names:
 * `ConnectionStrings__{name}`, or a setting or environment variable of this name. Undefined when
 * neither is set.
 *
 * @throws {StorageSettingError} when the name points to no text
 */
export function connectionStringOf(context: StorageContext): ConnectionString | undefined {
  const { values } = context;
  const text = values[TEXT];
  if (text) return { key: TEXT, text };
  const name = values[NAME];
  if (!name) return undefined;
  const namedText = context.named(`ConnectionStrings__${name}`) ?? context.named(name);
  if (namedText) return { key: NAME, text: namedText };
  throw new StorageSettingError(
    NAME,
    `there is no setting ConnectionStrings__${name}, and no environment variable ${name}`,
  );
}
