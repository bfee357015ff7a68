import type { Caller } from "./caller.ts";

/** A repository of the registry that is called. */
export type Place = { readonly caller: Caller; readonly name: string };

/** Below `/v2/<name>/`; what is no path of the API stays one part of it. */
export function pathOf({ name }: Pick<Place, "name">, rest: string): string {
  const parts = [...name.split("/"), ...rest.split("/")];
  return `/v2/${parts.map((part) => encodeURIComponent(part).replaceAll("%3A", ":")).join("/")}`;
}

export function pullScope(name: string): string {
  return `repository:${name}:pull`;
}

export function pushScope(name: string): string {
  return `repository:${name}:pull,push`;
}

export function deleteScope(name: string): string {
  return `repository:${name}:delete`;
}
