const RECENT_MAX = 32;

/** Returns the part of a view under its key, and opens it if it is not in memory. */
export type RecentViews<T> = (key: string, open: () => T) => T;

/** Creates a memory of the views that were requested last. */
export function createRecentViews<T extends object>(): RecentViews<T> {
  const views = new Map<string, T>();
  return (key, open) => {
    const view = views.get(key) ?? open();
    // A Map keeps its order of insertion.
    views.delete(key);
    views.set(key, view);
    const [oldest] = views.keys();
    if (views.size > RECENT_MAX && oldest !== undefined) views.delete(oldest);
    return view;
  };
}
