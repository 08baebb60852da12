using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("till")]
[assembly: InternalsVisibleTo("tests")]
