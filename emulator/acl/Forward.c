/* An empty library: all that counts is its name and that it needs libascendcl.so. */
typedef int tilewright_forward;
