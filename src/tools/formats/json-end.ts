/** Finds where a JSON object or array ends, piece by piece. Of a value that is neither, the end is not seen. */
export class JsonEnd {
  #depth = 0
  #inString = false
  #isEscaped = false
  /** Whether the value has ended. */
  isDone = false

  /** How much of a text belongs to the value: all of it, unless it ends there. */
  read(text: string): number {
    for (let i = 0; i < text.length; i++) {
      const unit = text[i]!
      if (this.#inString) {
        if (this.#isEscaped) this.#isEscaped = false
        else if (unit === '\\') this.#isEscaped = true
        else if (unit === '"') this.#inString = false
      } else if (unit === '"') this.#inString = true
      else if (unit === '{' || unit === '[') this.#depth++
      else if ((unit === '}' || unit === ']') && --this.#depth <= 0) {
        this.isDone = true
        return i + 1
      }
    }
    return text.length
  }
}
