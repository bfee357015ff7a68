/**
 * Returns a function that answers with a cached result of `load`, at most `ms` old. Calls that come
 * while `load` runs share its result, so it never runs twice at a time. A failure is not cached.
 */
export function cacheFor<T>(
  ms: number,
  load: () => Promise<T>,
  now: () => number = performance.now.bind(performance),
): () => Promise<T> {
  let cached: { readonly result: T; readonly until: number } | undefined;
  let loading: Promise<T> | undefined;
  const refresh = async (): Promise<T> => {
    try {
      const result = await load();
      cached = { result, until: now() + ms };
      return result;
    } finally {
      loading = undefined;
    }
  };
  return async () => {
    if (cached && now() < cached.until) return cached.result;
    return (loading ??= refresh());
  };
}
