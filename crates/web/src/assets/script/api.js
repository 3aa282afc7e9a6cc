// Tries the API without leaving the page.
for (const form of document.querySelectorAll("[data-try]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { method, token, tokenHeader } = form.dataset;
    let path = form.dataset.try;
    const query = new URLSearchParams();
    for (const input of form.querySelectorAll("input[type=text]")) {
      if ("path" in input.dataset) path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
      else if (input.value) query.set(input.name, input.value);
    }
    const address = query.size > 0 ? `${path}?${query}` : path;
    const request = { method, headers: {} };
    if (token) {
      request.headers[tokenHeader] = token;
      request.headers["Content-Type"] = "application/json";
      const body = form.querySelector("[data-body]");
      if (body) request.body = body.value;
    }
    const answer = form.parentElement.querySelector(".answer");
    answer.hidden = false;
    answer.textContent = `${method} ${address}`;
    try {
      const response = await fetch(address, request);
      const text = await response.text();
      const body = text === "" ? "" : JSON.stringify(JSON.parse(text), null, 2);
      answer.textContent = `${method} ${address}\n${response.status}\n\n${body}`;
    } catch (error) {
      answer.textContent += `\n${error}`;
    }
  });
}
