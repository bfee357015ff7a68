import type { Setting } from "@sealhouse/settings";
import { hasCode } from "../errors.ts";
import type { Signer } from "../ports.ts";
import type { RemoteKey } from "../keys/remote-key.ts";

// What an extension brings so that a host can sign with a key the host never sees.

/** Arguments of a mode at opening. */
export type ModeContext = {
  /** Checked texts of the mode's own settings by full key; what is not set has no entry. */
  readonly values: Readonly<Record<string, string>>;
  /** Any setting or environment variable by name: where a `…ConfigurationKey` points to. */
  named(name: string): string | undefined;
  /** Tells the operator something that does not stop the start. */
  warn(message: string): void;
  readonly now: () => Date;
};

/**
 * Value of the setting or environment variable whose name the setting `key` contains; undefined
 * when `key` is not set.
 *
 * @throws ModeSettingError when that setting or variable does not exist
 */
export function namedBy(
  key: string,
  { values, named }: Pick<ModeContext, "values" | "named">,
): string | undefined {
  const name = values[key]?.trim();
  if (!name) return undefined;
  const text = named(name);
  if (text) return text;
  throw new ModeSettingError(key, `There is no setting or environment variable named ${name}.`);
}

/** A value of `Signing__Mode`. */
export type SigningMode = {
  /** By full key: `Signing__AwsKms__Region`. */
  readonly settings: Readonly<Record<string, Setting>>;
  /**
   * Finds key and certificate, and makes sure that they belong together. Called at start, and from
   * time to time after that to notice a new certificate; what was opened is disposed of in the end.
   *
   * @throws ModeSettingError when a setting has to be corrected
   * @throws SigningError when the key service or the certificate does not do
   */
  open(context: ModeContext): Promise<Signer & Partial<AsyncDisposable>>;
  /**
   * Opens the key alone, before there is a certificate of it: to ask for one. A mode without this
   * has certificates made where its keys are.
   *
   * @throws what `open` throws
   */
  openKey?(context: ModeContext): Promise<RemoteKey>;
};

/** The export of an extension package. */
export type SigningExtension = {
  readonly name: string;
  /** By value of `Signing__Mode`. */
  readonly signingModes: Readonly<Record<string, SigningMode>>;
};

/** An invalid setting of a mode; `message` has the reason and the valid values. */
export class ModeSettingError extends Error {
  /** Knows those of another copy of this package, too: an extension may come with its own. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return hasCode(value, "mode-setting-invalid");
  }

  override readonly name = "ModeSettingError";
  readonly code = "mode-setting-invalid";
  /** Full key, `Signing__AwsKms__Region`. */
  readonly key: string;

  constructor(key: string, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.key = key;
  }
}
