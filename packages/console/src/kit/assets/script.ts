/**
 * The script of all pages; each works without it. It copies lines, focuses the search, changes the
 * theme, shows local times, asks for passkeys and keeps a part of a page up to date.
 *
 * Plain HTTP has no clipboard API; there it selects the lines and runs the old copy command. A live
 * part (`id`, `data-live`: an event stream) is taken from a new answer of the page after each
 * event, until that answer no longer has `data-live`.
 */
export const SCRIPT = `
"use strict";
const root = document.documentElement;
function enhance(part) {
  for (const button of part.querySelectorAll("button.copy")) {
    const lines = document.getElementById(button.dataset.lines);
    const said = button.querySelector("span");
    const select = () => {
      getSelection().selectAllChildren(lines);
      return document.execCommand("copy");
    };
    button.hidden = false;
    button.addEventListener("click", async () => {
      const text = lines.textContent.trim();
      const copied = navigator.clipboard
        ? await navigator.clipboard.writeText(text).then(() => true, select)
        : select();
      said.textContent = copied ? "Copied" : "Press Ctrl+C";
      setTimeout(() => { said.textContent = "Copy"; }, 2000);
    });
  }
  const local = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });
  for (const time of part.querySelectorAll("time[datetime*=T]")) {
    time.title = time.dateTime + "\\n" + local.format(new Date(time.dateTime));
  }
}
enhance(document);
document.addEventListener("keydown", (event) => {
  const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
  const search = document.querySelector("input[type=search]");
  if (!search) return;
  event.preventDefault();
  search.focus();
});
for (const form of document.querySelectorAll("form.theme")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const theme = event.submitter.value;
    const life = theme === "system" ? 0 : 31536000;
    const secure = location.protocol === "https:" ? "; Secure" : "";
    document.cookie = "theme=" + theme + "; Path=/; SameSite=Lax; Max-Age=" + life + secure;
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
    for (const button of form.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.value === theme));
    }
  });
}
for (const live of document.querySelectorAll("[data-live]")) {
  const source = new EventSource(live.dataset.live);
  let isAsking = false;
  const show = () => {
    if (isAsking) return;
    isAsking = true;
    const ask = new XMLHttpRequest();
    ask.open("GET", location.href);
    ask.responseType = "document";
    ask.onloadend = () => {
      isAsking = false;
      const fresh = ask.response && ask.response.getElementById(live.id);
      if (!fresh) return;
      if (!fresh.dataset.live) source.close();
      live.replaceChildren(...document.adoptNode(fresh).childNodes);
      enhance(live);
    };
    ask.send();
  };
  source.addEventListener("message", show);
}
for (const form of document.querySelectorAll("form[data-passkey]")) {
  const { passkey, options } = form.dataset;
  const answer = form.elements.namedItem("answer");
  const said = form.querySelector("[role=status]");
  const button = form.querySelector("button");
  const kind = window.PublicKeyCredential;
  if (!kind || !kind.parseCreationOptionsFromJSON) {
    said.textContent = "This browser has no passkeys. Use a newer one.";
    continue;
  }
  button.disabled = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    said.textContent = "Follow the instructions of your browser.";
    try {
      const json = JSON.parse(options);
      const credential = passkey === "create"
        ? await navigator.credentials.create({ publicKey: kind.parseCreationOptionsFromJSON(json) })
        : await navigator.credentials.get({ publicKey: kind.parseRequestOptionsFromJSON(json) });
      answer.value = JSON.stringify(credential.toJSON());
      form.submit();
    } catch (error) {
      button.disabled = false;
      said.textContent = error.name === "InvalidStateError"
        ? "This device has a passkey of your account already."
        : "The browser gave no passkey. Try again.";
    }
  });
}
`;
