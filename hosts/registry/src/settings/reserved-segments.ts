/** First parts of paths that belong to another part of the host, or did in the older host. */
export const RESERVED_SEGMENTS: readonly string[] = [
  ..."account admin api assets audit default docs events favicon.ico feed groups".split(" "),
  ..."health images metrics npm npm-packages nuget oci packages repositories".split(" "),
  ..."search settings shield sign-in sign-out sources static symbols targets".split(" "),
  ..."token tokens trust users v1 v2 v3".split(" "),
];
