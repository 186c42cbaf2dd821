// A headless browser of the tests, with one page. REALMGATE_BROWSER says which: chromium, firefox, or webkit, which is the
// engine of Safari. Each is driven by the protocol of its own module, and all offer what `Page` has.

export class Browser {
  static async start(t, name = process.env.REALMGATE_BROWSER || "chromium") {
    if (!["chromium", "firefox", "webkit"].includes(name)) throw new Error(`There is no browser '${name}'. Take chromium, firefox or webkit.`);
    const { start } = await import(`./${name}.js`);
    return start(t);
  }
}
