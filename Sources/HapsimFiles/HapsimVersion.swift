/// Until a release is made: the next one.
package let hapsimVersion = "0.1.0"
