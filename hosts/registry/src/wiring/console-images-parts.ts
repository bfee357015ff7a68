import type { Parts } from "./parts.ts";

export type ConsoleImagesParts = Pick<Parts, "config" | "database" | "blobs" | "rules" | "pepper"> &
  Partial<Pick<Parts, "sealKeys">>;
