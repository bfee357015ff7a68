import type { RegistryMirror } from "@sealhouse/upstream-sources";

const RECENT_MS = 5 * 60_000;

/**
 * The enabled package sources for health reports, by name: a sentence for each that failed lately,
 * without addresses.
 */
export function sourceHealth(
  mirror: Pick<RegistryMirror, "knownSources" | "calls" | "isOffline">,
  now: Date,
): Readonly<Record<string, string | undefined>> {
  const states = mirror.calls.states();
  const enabled = mirror.knownSources().filter(({ isEnabled }) => isEnabled);
  return Object.fromEntries(
    enabled.map(({ name }) => [`source:${name}`, problemOf(states.get(name), mirror, now)]),
  );
}

type State =
  ReturnType<RegistryMirror["calls"]["states"]> extends ReadonlyMap<string, infer S> ? S : never;

function problemOf(
  state: State | undefined,
  { isOffline }: Pick<RegistryMirror, "isOffline">,
  now: Date,
): string | undefined {
  if (isOffline) return "not called, because Mirror__Offline is set";
  if (!state) return undefined;
  const { pausedForMs, lastErrorAt, lastSuccessAt, isForbidden } = state;
  if (isForbidden) {
    return "is at an address that must not be called, or refers to one: sealhouse source test NAME";
  }
  if (pausedForMs > 0) {
    return `keeps failing; it is called again in ${Math.ceil(pausedForMs / 1000)} s`;
  }
  const isLast = lastErrorAt !== undefined && (!lastSuccessAt || lastErrorAt > lastSuccessAt);
  if (!isLast || now.getTime() - lastErrorAt.getTime() > RECENT_MS) return undefined;
  return `the last call failed at ${lastErrorAt.toISOString()}`;
}
