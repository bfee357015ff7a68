import type { ModeContext, SigningMode } from "../signer/signing-mode.ts";

export type TestModeContext = ModeContext & {
  /** Messages to the operator. */
  readonly warnings: readonly string[];
};

/**
 * Arguments with which a host opens a mode: the fallbacks of `mode`, overridden by `values`,
 * without empty ones. `named`: all other settings and environment variables.
 */
export function testModeContext(
  { settings }: Pick<SigningMode, "settings">,
  values: Readonly<Record<string, string | undefined>>,
  variables: Readonly<Record<string, string>> = {},
): TestModeContext {
  const warnings: string[] = [];
  const fallbacks = Object.entries(settings).map(([key, { fallback }]) => [key, fallback] as const);
  const set = Object.entries({ ...Object.fromEntries(fallbacks), ...values });
  return {
    values: Object.fromEntries(set.flatMap(([key, text]) => (text ? [[key, text] as const] : []))),
    named: (name) => variables[name],
    warn: (message) => void warnings.push(message),
    now: () => new Date(),
    warnings,
  };
}
