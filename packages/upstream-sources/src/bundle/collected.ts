/** Result of collecting one wanted package or image. */
export type Collected =
  | { readonly status: "bundled" }
  /** The registry does not have it, or a part of it. */
  | { readonly status: "absent"; readonly reason?: string }
  | { readonly status: "refused"; readonly reason: string };

export const BUNDLED: Collected = { status: "bundled" };
export const ABSENT: Collected = { status: "absent" };

export function refused(reason: string): Collected {
  return { status: "refused", reason };
}
