export { defineAction, dryRunOf, isJob, pathFields } from "./action.ts";
export { entityTagOf } from "./entity-tag.ts";
export { field, fieldsOf, inputOfTexts } from "./field.ts";
export type { Field, FieldKind, FieldTexts, FieldValues } from "./field.ts";
export { problemsOf } from "./issue-words.ts";
export type { InputProblem } from "./issue-words.ts";
export { checkRow, runAction, tagOf } from "./run-action.ts";
export type { RowCheck } from "./run-action.ts";
