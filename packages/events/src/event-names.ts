import type { Protocol } from "@sealhouse/request-types";
import type { RegistryEvent } from "./event.ts";

/** A package, or a repository of images, that an event is about. */
export type EventName = { readonly protocol: Protocol; readonly name: string };

/** Subjects of packages. The version of an image without a tag is its digest. */
const PACKAGE = /^(?:(nuget|npm)\/(.+?)(?:@([^@/]+))?|(oci)\/([^:@]+)(?:[:@](.+))?)$/;

/** Parses the subject of an event about a package; undefined for other subjects. */
export function packageOfSubject(
  subject: string,
): (EventName & { readonly version?: string }) | undefined {
  const [, ofPackages, id, number, image, repository, tag] = PACKAGE.exec(subject) ?? [];
  const protocol = ofPackages ?? image;
  const name = id ?? repository;
  if (protocol === undefined || name === undefined) return undefined;
  const version = number ?? tag;
  return {
    protocol: protocol as Protocol,
    name,
    ...(version !== undefined && { version }),
  };
}

/**
 * Returns the names of packages and repositories that an event has, such as `npm/@acme/bar`: that
 * of its subject, and those that name a damaged file.
 */
export function namesIn({
  subject,
  detail = {},
}: Pick<RegistryEvent, "subject" | "detail">): readonly string[] {
  const own = packageOfSubject(subject);
  const protocol = own?.protocol ?? "";
  const others = [detail["versions"], detail["repositories"]].flatMap(textsIn);
  // A version of a damaged file follows its name after a space.
  const named = others.map((text) => `${protocol}/${text.split(" ", 1)[0] ?? ""}`);
  return [...(own ? [textOfName(own)] : []), ...named];
}

/** Formats a name: `npm/@acme/bar`. */
export function textOfName({ protocol, name }: EventName): string {
  return `${protocol}/${name}`;
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
