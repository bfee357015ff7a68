import type { Context } from "hono";
import { basePath } from "hono/route";

/** The path below which a parent app has mounted the app that handles the request (`route()`), as
 * the request contains it: `/nuget`. Empty for an app at the root. */
export function mountPath(c: Context): string {
  const path = basePath(c);
  return path === "/" ? "" : path;
}
