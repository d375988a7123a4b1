/// The version of the next release.
package let hapsimVersion = "0.1.0"
