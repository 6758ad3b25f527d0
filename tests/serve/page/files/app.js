export const question = "what??/ \\ \"quoted\" ü";
