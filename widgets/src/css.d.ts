// A style sheet is imported as its text, which the build makes small.
declare module "*.css" {
  const text: string;
  export default text;
}
