/**
 * The only script of the pages: it shows the copy buttons and copies their lines. Plain HTTP has no
 * clipboard API; there the script selects the lines and runs the old copy command.
 */
export const COPY_SCRIPT = `
for (const button of document.querySelectorAll("button.copy")) {
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
`;
