import { NAME_LENGTH } from "../entities/name-length.ts";
import { param } from "../statements/kinds.ts";

/** Kinds of parameters that many statements of images have. */
export const ociParam = {
  repositoryName: param.text(255),
  tag: param.text(128),
  digest: param.text(NAME_LENGTH.digest),
} as const;
