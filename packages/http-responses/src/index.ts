export { answerThenDrain } from "./answer-then-drain.ts";
export type { DrainLimits } from "./answer-then-drain.ts";
export {
  BodyEncodingError,
  bodyErrorOf,
  BodyTooLargeError,
  BodyTooSlowError,
  ClientDisconnectedError,
  errorCodeOf,
} from "./body-errors.ts";
export type { BodyError } from "./body-errors.ts";
export type { BodyPace } from "./body-pace.ts";
export type { ByteRange, ByteSource, ReadOptions } from "./byte-range.ts";
export { compressResponse } from "./compress-response.ts";
export { namesEtag } from "./etag.ts";
export { mountPath } from "./mount-path.ts";
export { nodeOf } from "./node-context.ts";
export { NameTakenError, NewNameError, TokenEndedError } from "./refused-changes.ts";
export { headerText, setReasonPhrase } from "./reason-phrase.ts";
export { documentOf, renderDocument } from "./rendered-document.ts";
export type { DocumentAddress, Render, Rendering } from "./rendered-document.ts";
export { declaredLength, readBody, requestBody } from "./request-body.ts";
export type { BodyOptions } from "./request-body.ts";
export { redirectDownload } from "./redirect-download.ts";
export type { RedirectedDownload } from "./redirect-download.ts";
export { sendBytes, writeBytes, writeHeadOfBytes } from "./send-bytes.ts";
export type { BytesOptions } from "./send-bytes.ts";
export { sendDocument, writeDocument } from "./send-document.ts";
export type { DocumentOptions } from "./send-document.ts";
export type { DocumentStore, StoredDocument } from "./stored-document.ts";
export { unavailableOf } from "./unavailable.ts";
export type { DescribeUnavailable, Unavailable } from "./unavailable.ts";
export { bestEffortDocuments } from "./best-effort-documents.ts";
export { rawPathOf } from "./raw-path.ts";
export {
  absentThen,
  lostSince,
  missingView,
  parseViewTime,
  pathBelowView,
  readOnlyView,
  shownTime,
  unknownViewTime,
  viewOfPath,
} from "./view-time.ts";
export type { PathView } from "./view-time.ts";
export { KEPT_HOURS } from "./idempotent-answers.ts";
export type { IdempotentAnswers, KeptAnswer, KeyedRequest } from "./idempotent-answers.ts";
