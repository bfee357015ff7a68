import type { ModeContext, SigningMode } from "../signing-mode.ts";

export type TestModeContext = ModeContext & {
  /** What the operator was told. */
  readonly warnings: readonly string[];
};

/** What a host opens a mode with: the fallbacks of `mode`, over them `values`, without what is
 * empty. `named`: settings and environment variables of everybody else. */
export function testModeContext(
  { settings }: Pick<SigningMode, "settings">,
  values: Readonly<Record<string, string | undefined>>,
  named: Readonly<Record<string, string>> = {},
): TestModeContext {
  const warnings: string[] = [];
  const fallbacks = Object.entries(settings).map(([key, { fallback }]) => [key, fallback] as const);
  const set = Object.entries({ ...Object.fromEntries(fallbacks), ...values });
  return {
    values: Object.fromEntries(set.flatMap(([key, text]) => (text ? [[key, text] as const] : []))),
    named: (name) => named[name],
    warn: (message) => void warnings.push(message),
    now: () => new Date(),
    warnings,
  };
}
