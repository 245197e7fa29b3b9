// Stores the program where the app keeps text that is too long for a link, and opens it.
const said = document.getElementById("said");
const { key, ended, tooLarge } = said.dataset;
const opened = async () => {
  let text;
  try {
    const answer = await fetch("program", { cache: "no-store" });
    text = await answer.text();
    // The server says why.
    if (!answer.ok) return text;
  } catch {
    return ended;
  }
  try {
    sessionStorage.setItem(`xla-playground.program.${key}`, text);
  } catch {
    return tooLarge;
  }
  location.replace(`/#program1/!${key}`);
  return said.textContent;
};
said.textContent = await opened();
