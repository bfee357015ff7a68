import type { RegistryCaller } from "./caller.ts";

/** A repository of the registry that is called. */
export type RemoteRepository = { readonly caller: RegistryCaller; readonly name: string };

/** The path below `/v2/<name>/`; a path outside of the API stays one part of it. */
export function pathOf({ name }: Pick<RemoteRepository, "name">, rest: string): string {
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
