import { parseViewTime } from "@sealhouse/http-responses";

/** Repository name with the time of a view in front of it. */
export type ViewName = {
  /** `as-of-20261001t1200z/` */
  readonly prefix: string;
  /** Undefined for an invalid time. */
  readonly time: Date | undefined;
  /** Name of the repository. */
  readonly name: string;
};

const VIEW = /^(as-of-(\d{4})(\d\d)(\d\d)t(\d\d)(\d\d)(\d\d)?z\/)(.+)$/;

/** Parses `as-of-20261001t1200z/team/app`; undefined for all other names. Repository names have no
 * upper case and no colons. */
export function parseViewName(text: string): ViewName | undefined {
  const [, prefix = "", year, month, day, hour, minute, second = "00", name] =
    VIEW.exec(text) ?? [];
  if (name === undefined) return undefined;
  return {
    prefix,
    time: parseViewTime(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`),
    name,
  };
}
